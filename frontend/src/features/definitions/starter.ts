/** A complete small process as the template of a new one. */
export const starter = `key: my_process
version: 1
title: {en: My process, zh: 我的流程}
document_types: [my_document]
key_facts: [amount, currency, counterparty, document_hash]
re_enter: validate
on_replace: read
on_enter: validate
on_abandon: seal_abandoned
nodes:
  - id: start
    kind: start
    next: read
  - id: read
    kind: stage
    title: {en: Read document, zh: 读取文档}
    behaviour: read
    queue: ocr
    next: extract
  - id: extract
    kind: stage
    title: {en: Extract fields, zh: 提取字段}
    behaviour: extract
    next: validate
  - id: validate
    kind: stage
    title: {en: Validate fields, zh: 校验字段}
    behaviour: validate
    next: assess
  - id: assess
    kind: stage
    title: {en: Assess risk, zh: 评估风险}
    behaviour: assess
    next: review
  - id: review
    kind: review
    title: {en: Review, zh: 审核}
    queue: L1
    level: 1
    duty: approval
    claim_within: 2h
    decide_within: 24h
    on:
      approve: archive
      reject: seal_rejected
      return: validate
  - id: archive
    kind: stage
    title: {en: Archive, zh: 归档}
    behaviour: archive
    outcome: archived
    next: archived
  - id: seal_rejected
    kind: stage
    title: {en: Close as rejected, zh: 结案（已拒绝）}
    behaviour: archive
    outcome: rejected
    next: rejected
  - id: seal_abandoned
    kind: stage
    title: {en: Close as abandoned, zh: 结案（已放弃）}
    behaviour: archive
    outcome: abandoned
    next: abandoned
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`;

/** A small process that other processes call. */
export const callableStarter = `key: my_check
version: 1
title: {en: My check, zh: 我的检查}
callable: true
nodes:
  - id: start
    kind: start
    next: check
  - id: check
    kind: review
    title: {en: Check, zh: 检查}
    queue: L1
    on:
      approve: passed
      reject: failed
  - id: passed
    kind: end
    title: {en: Passed, zh: 通过}
  - id: failed
    kind: end
    title: {en: Failed, zh: 未通过}
`;

/** The other starter, if the text is still a starter; null otherwise. */
export function asCallable(text: string, callable: boolean): string | null {
  if (text !== starter && text !== callableStarter) return null;
  return callable ? callableStarter : starter;
}
