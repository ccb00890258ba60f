/** The limits of a parser, and its callback. */
export interface ParseOptions {
  readonly maxBytes?: number;
  readonly maxDepth?: number;
  /** Called for every field given more than once (the last one counts): `spec.replicas`. */
  readonly onDuplicate?: (path: string, place?: DuplicatePlace) => void;
}

/** The place of a repeated field; only YAML tells it. */
export interface DuplicatePlace {
  readonly key: string;
  /** Returns the number of the line; it takes time, since lines are counted from the start. */
  line(): number;
}

/** The size limit of a request body in Kubernetes. */
export const defaultMaxBytes = 3 * 1024 * 1024;

/** The nesting limit: deep enough for any schema within a schema, shallow enough for recursive functions. */
export const defaultMaxDepth = 512;
