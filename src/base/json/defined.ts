/** An object without the fields whose values may be undefined being there as undefined. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Leaves out fields that are undefined: `{ name, ...defined({ port }) }`. A field that is there and undefined
 * is not what `port?: number` says, is sent by some encoders, and costs memory like one that is set.
 */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  const all = fields as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(all)) if (all[name] !== undefined) kept[name] = all[name];
  return kept as Defined<T>;
}
