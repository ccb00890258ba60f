// How the security parts read the cluster: from the server's own cache, without waiting.

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
  /** Grows with every change of the resource; equal numbers mean that nothing changed. */
  version(resource: string): number;
  /** Resolves when everything that is stored by now can be seen. */
  current(): Promise<void>;
}
