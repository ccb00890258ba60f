// The largest size of an object. Everybody has to read what one client stores: the cache, watchers,
// controllers. Kubernetes' limit is that of a request to etcd, which holds here for both stores.

/** The largest object that fits into one request to etcd: 1.5 MiB, less the key and the comparisons. */
export const largestObject = 1_564_672;

/** The most fields of an object: the time to process one grows with its fields and their managers. */
const mostFields = 100_000;
/** The most different names of fields: V8 takes four times as long for a name it has not met. */
const mostNames = 25_000;

/** Returns why an object takes too long to process; undefined for one that does not. */
export function excessOf(object: object): string | undefined {
  let count = 0;
  const names = new Set<string>();
  const open: object[] = [object];
  const visit = (value: unknown) => {
    if (typeof value === "object" && value !== null) open.push(value);
  };
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const element of value) visit(element);
      continue;
    }
    for (const [name, inner] of Object.entries(value)) {
      count++;
      names.add(name);
      visit(inner);
    }
    if (count > mostFields) return `more than ${mostFields} fields`;
    if (names.size > mostNames) return `more than ${mostNames} different names of fields`;
  }
  return undefined;
}
