// The phrases that a screen reader speaks for a page, in reading order, from the accessibility tree that
// Chromium gives to screen readers.

export interface AXValue {
  value?: unknown;
  relatedNodes?: { idref?: string; text?: string }[];
}

/** A node of the tree as the debugger sends it. */
export interface AXNode {
  nodeId: string;
  ignored: boolean;
  role?: AXValue;
  name?: AXValue;
  description?: AXValue;
  value?: AXValue;
  properties?: { name: string; value: AXValue }[];
  parentId?: string;
  childIds?: string[];
  backendDOMNodeId?: number;
}

/** One phrase, and the element that it is about. */
export interface Phrase {
  text: string;
  role: string;
  name: string;
  description: string;
  node: number;
  focused: boolean;
  /** The names of the dialogs, landmarks and groups around it, the outermost first. */
  within: string[];
}

const textOf = (value?: AXValue) => String(value?.value ?? '').trim();

function property(node: AXNode, name: string): unknown {
  return node.properties?.find((one) => one.name === name)?.value.value;
}

export const landmarks = new Set([
  'banner',
  'navigation',
  'main',
  'complementary',
  'contentinfo',
  'search',
  'region',
  'form',
]);

/** Elements whose content is their name. */
const closed = new Set([
  'heading',
  'link',
  'button',
  'checkbox',
  'radio',
  'switch',
  'tab',
  'option',
  'menuitem',
  'DisclosureTriangle',
  'image',
  'progressbar',
  'slider',
  'splitter',
]);

/** Elements with a value that a user enters or chooses. */
const editable = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox']);

/** Elements around others that are announced when the reading enters them. */
const containers = new Set([
  ...landmarks,
  'dialog',
  'alertdialog',
  'group',
  'radiogroup',
  'article',
]);

const words: Record<string, string> = {
  textbox: 'edit',
  searchbox: 'search edit',
  combobox: 'combo box',
  DisclosureTriangle: 'disclosure',
  checkbox: 'check box',
  radio: 'radio button',
  image: 'graphic',
  progressbar: 'progress bar',
  radiogroup: 'group',
};

/** The states of an element, as a screen reader names them. */
function statesOf(node: AXNode): string[] {
  const states: string[] = [];
  const checked = property(node, 'checked');
  if (checked !== undefined) states.push(String(checked) === 'true' ? 'checked' : 'not checked');
  const expanded = property(node, 'expanded');
  if (expanded !== undefined) states.push(expanded ? 'expanded' : 'collapsed');
  if (property(node, 'pressed') !== undefined)
    states.push(String(property(node, 'pressed')) === 'true' ? 'pressed' : 'not pressed');
  if (property(node, 'disabled')) states.push('unavailable');
  if (property(node, 'readonly')) states.push('read only');
  if (property(node, 'required')) states.push('required');
  const invalid = property(node, 'invalid');
  if (invalid !== undefined && invalid !== 'false') states.push('invalid entry');
  return states;
}

/** The phrase of an element: its name, its role, its states, its value and its description. */
function phraseOf(node: AXNode, role: string): string {
  const name = textOf(node.name);
  const level = property(node, 'level');
  const word = landmarks.has(role) ? `${role} landmark` : (words[role] ?? role);
  const description = textOf(node.description);
  const keys = textOf({ value: property(node, 'keyshortcuts') });
  return [
    role === 'heading' ? `heading level ${level}` : '',
    name,
    role === 'heading' ? '' : word,
    ...statesOf(node),
    editable.has(role) || role === 'progressbar' ? textOf(node.value) || 'blank' : '',
    description === name ? '' : description,
    keys,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

const silent = new Set(['InlineTextBox', 'ListMarker', 'LineBreak']);

/** A form or section is a landmark if it has a name. */
const isLandmark = (node: AXNode) =>
  landmarks.has(textOf(node.role)) &&
  (textOf(node.name) !== '' || !/^(form|region)$/.test(textOf(node.role)));

/** Walks the tree in reading order. */
class Walk {
  readonly phrases: (Phrase & { parent: string | undefined })[] = [];
  private readonly byId: ReadonlyMap<string, AXNode>;
  private columns: string[] = [];

  constructor(nodes: readonly AXNode[]) {
    this.byId = new Map(nodes.map((node) => [node.nodeId, node]));
  }

  visit(node: AXNode, within: string[]): void {
    const role = textOf(node.role);
    const name = textOf(node.name);
    if (node.ignored || role === 'RootWebArea') this.children(node, within);
    else if (silent.has(role)) return;
    else if (role === 'StaticText') this.text(node, within);
    else if (closed.has(role) || editable.has(role))
      this.say(node, role, phraseOf(node, role), within);
    else if (/^(row|column)header$/.test(role)) this.header(node, role, within);
    else if (role === 'cell' || role === 'gridcell') this.cell(node, within);
    else if (role === 'table' || role === 'grid') this.table(node, role, within);
    else if (role === 'list') this.list(node, within);
    else if (containers.has(role) && (name !== '' || role === 'dialog' || isLandmark(node))) {
      this.say(node, role, phraseOf(node, role), within);
      this.children(node, [...within, name || role]);
    } else this.children(node, within);
  }

  /** The texts of one element are one phrase. */
  private text(node: AXNode, within: string[]): void {
    const last = this.phrases.at(-1);
    const text = String(node.name?.value ?? '');
    if (last?.role === 'StaticText' && last.parent === node.parentId) last.text += text;
    else this.say(node, 'StaticText', text, within);
  }

  /** A header with a control in it is the control. */
  private header(node: AXNode, role: string, within: string[]): void {
    const holds = [...this.all(node)].some((one) => !one.ignored && closed.has(textOf(one.role)));
    if (holds) this.children(node, within);
    else
      this.say(
        node,
        role,
        `${textOf(node.name) || this.contentOf(node)}, ${role.replace('header', ' header')}`,
        within,
      );
  }

  private list(node: AXNode, within: string[]): void {
    const nested = this.descendants(node, 'list').flatMap((one) =>
      this.descendants(one, 'listitem'),
    );
    const count = this.descendants(node, 'listitem').length - new Set(nested).size;
    const name = textOf(node.name);
    if (count > 0)
      this.say(node, 'list', [name, `list with ${count} items`].filter(Boolean).join(', '), within);
    this.children(node, within);
  }

  private children(node: AXNode, within: string[]): void {
    for (const child of node.childIds ?? []) {
      const found = this.byId.get(child);
      if (found) this.visit(found, within);
    }
  }

  /** A table with its size; its headers are spoken with the cells below them. */
  private table(node: AXNode, role: string, within: string[]): void {
    const headers = this.descendants(node, 'columnheader');
    const rows = this.descendants(node, 'row').length;
    const name = textOf(node.name);
    const before = this.columns;
    this.columns = headers.map((header) => textOf(header.name) || this.contentOf(header));
    const size = `table with ${rows} rows and ${headers.length} columns`;
    this.say(node, role, [name, size].filter(Boolean).join(', '), within);
    this.children(node, [...within, name || 'table']);
    this.columns = before;
  }

  private cell(node: AXNode, within: string[]): void {
    const row = this.ancestor(node, 'row');
    const cells = row ? this.cellsOf(row) : [];
    const column = this.columns[cells.indexOf(node)] ?? '';
    const first = this.phrases.length;
    this.children(node, within);
    const spoken = this.phrases[first];
    if (spoken && column !== '') spoken.text = `${column}: ${spoken.text}`;
  }

  private cellsOf(row: AXNode): AXNode[] {
    return ['cell', 'gridcell', 'rowheader', 'columnheader']
      .flatMap((role) => this.descendants(row, role))
      .sort((a, b) => this.order(row, a) - this.order(row, b));
  }

  private order(row: AXNode, cell: AXNode): number {
    return [...this.all(row)].indexOf(cell);
  }

  private ancestor(node: AXNode, role: string): AXNode | undefined {
    let parent = this.byId.get(node.parentId ?? '');
    while (parent && textOf(parent.role) !== role) parent = this.byId.get(parent.parentId ?? '');
    return parent;
  }

  private *all(node: AXNode): Generator<AXNode> {
    for (const child of node.childIds ?? []) {
      const found = this.byId.get(child);
      if (!found) continue;
      yield found;
      yield* this.all(found);
    }
  }

  private descendants(node: AXNode, role: string): AXNode[] {
    return [...this.all(node)].filter((one) => !one.ignored && textOf(one.role) === role);
  }

  private contentOf(node: AXNode): string {
    return this.descendants(node, 'StaticText')
      .map((one) => textOf(one.name))
      .join(' ');
  }

  private say(node: AXNode, role: string, text: string, within: string[]): void {
    if (text.trim() === '') return;
    this.phrases.push({
      text: text.trim(),
      parent: node.parentId,
      role,
      name: textOf(node.name),
      description: textOf(node.description),
      node: node.backendDOMNodeId ?? 0,
      focused: property(node, 'focused') === true,
      within,
    });
  }
}

/** The phrases of the whole page in reading order. */
export function phrasesOf(nodes: readonly AXNode[]): Phrase[] {
  const [root] = nodes;
  if (!root) return [];
  const walk = new Walk(nodes);
  walk.visit(root, []);
  return walk.phrases;
}

/** What is spoken badly: controls and graphics without a name, and what is spoken twice in a row. */
export function faultsOf(phrases: readonly Phrase[]): string[] {
  return phrases.flatMap((phrase, index) => {
    const { role, name, text } = phrase;
    const named = role === 'StaticText' || role === 'list' || /^(table|grid)$/.test(role);
    if (!named && name === '' && !plainLandmarks.has(role)) return [`${role} without a name`];
    if (text === phrases[index - 1]?.text) return [`twice in a row: ${text}`];
    return repeats(phrase) ? [`name and description say the same: ${text}`] : [];
  });
}

/** Landmarks of which a page has one, so that they need no name. */
const plainLandmarks = new Set(['banner', 'main', 'contentinfo']);

/** Screen readers leave out a description that equals the name. */
const repeats = ({ name, description }: Phrase) =>
  description !== '' && description !== name && name.includes(description);
