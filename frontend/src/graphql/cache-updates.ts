// Keeps outdated results from overwriting newer objects: every object with a version is compared
// with the newest one received. An outdated query is sent again; in the result of a mutation or
// subscription the older object is stripped, so that the cache keeps the newer one.
import type { Exchange, Operation, OperationResult } from '@urql/core';
import { makeOperation } from '@urql/core';
import { filter, makeSubject, map, merge, pipe } from 'wonka';

type Entity = Record<string, unknown>;

/** The version of an object as comparable numbers; null if the document did not select it. */
export function rankOf(entity: Entity): number[] | null {
  if (entity.__typename === 'Case' && typeof entity.updatedAt === 'string')
    return momentRank(entity.updatedAt);
  if (entity.__typename === 'Review' && typeof entity.version === 'string')
    return versionRank(entity.version);
  return null;
}

/** The version of a review as comparable numbers; null if it is none. */
export function versionRank(version: string): number[] | null {
  const rank = version.split('.').map(Number);
  return rank.some(Number.isNaN) ? null : rank;
}

/** Microseconds need two numbers, because a float holds only the milliseconds exactly. */
function momentRank(iso: string): number[] | null {
  const match = /^(.*?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(iso);
  if (!match) return null;
  const second = Date.parse(`${match[1]}${match[3]}`);
  return Number.isNaN(second) ? null : [second, Number((match[2] ?? '').padEnd(9, '0'))];
}

/** Whether the first rank is older than the second. */
export function isOlder(a: number[], b: number[]): boolean {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i] ?? 0, b[i] ?? 0];
    if (left !== right) return left < right;
  }
  return false;
}

/** The newest rank received of each object, by type and id. */
export class NewestVersions {
  private readonly ranks = new Map<string, number[]>();

  /** Records an object; true if a newer one was received before. */
  isOutdated(entity: Entity): boolean {
    const rank = rankOf(entity);
    if (rank === null || typeof entity.id !== 'string') return false;
    const key = `${String(entity.__typename)}:${entity.id}`;
    const knownRank = this.ranks.get(key);
    if (knownRank && isOlder(rank, knownRank)) return true;
    this.ranks.set(key, rank);
    return false;
  }

  /**
   * Walks a result; `stale` is true if it has an outdated object. With `strip`, such objects keep
   * only type and id.
   */
  walk(value: unknown, strip: boolean): { value: unknown; stale: boolean } {
    if (Array.isArray(value)) {
      const walked = value.map((item) => this.walk(item, strip));
      const stale = walked.some((item) => item.stale);
      return { value: stale && strip ? walked.map((item) => item.value) : value, stale };
    }
    if (value === null || typeof value !== 'object') return { value, stale: false };
    const entity = value as Entity;
    if (this.isOutdated(entity)) {
      return {
        value: strip ? { __typename: entity.__typename, id: entity.id } : entity,
        stale: true,
      };
    }
    let stale = false;
    const copy: Entity = {};
    for (const [name, member] of Object.entries(entity)) {
      const walked = this.walk(member, strip);
      stale ||= walked.stale;
      copy[name] = walked.value;
    }
    return { value: stale && strip ? copy : entity, stale };
  }
}

const maxRetries = 3;

/** The exchange between the cache and the network. */
export function cacheUpdatesExchange(newest = new NewestVersions()): Exchange {
  return ({ forward }) =>
    (operations$) => {
      const retries = makeSubject<Operation>();
      const attempts = new Map<number, number>();
      const check = (result: OperationResult): OperationResult | null => {
        const { operation } = result;
        if (!result.data) return result;
        const isQuery = operation.kind === 'query';
        const { value, stale } = newest.walk(result.data, !isQuery);
        if (!stale) {
          attempts.delete(operation.key);
          return result;
        }
        if (!isQuery) return { ...result, data: value };
        const attempt = (attempts.get(operation.key) ?? 0) + 1;
        attempts.set(operation.key, attempt);
        if (attempt > maxRetries) return result;
        queueMicrotask(() =>
          retries.next(
            makeOperation('query', operation, {
              ...operation.context,
              requestPolicy: 'network-only',
            }),
          ),
        );
        return null;
      };
      return pipe(
        forward(merge([operations$, retries.source])),
        map(check),
        filter((result) => result !== null),
      );
    };
}
