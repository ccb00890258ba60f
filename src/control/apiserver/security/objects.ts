// Read access of the security parts to the server's cache, without waiting.

export interface SecurityObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export interface ObjectReader {
  get(resource: string, namespace: string, name: string): SecurityObject | undefined;
  list(resource: string): Iterable<SecurityObject>;
  /** Returns a number that grows with every change of the resource. */
  version(resource: string): number;
  /** Resolves when everything stored by now is visible. */
  current(): Promise<void>;
}
