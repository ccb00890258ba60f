// Where a server is and who we are to it: what a kubeconfig or a service account amounts to.

export interface Access {
  readonly server: URL;
  /** PEM; the system's authorities when not given. */
  readonly authorities?: string | undefined;
  /** The name to expect in the server's certificate, if not the host's. */
  readonly serverName?: string | undefined;
  /** Take any certificate. Only where a file says so. */
  readonly insecure?: boolean;
  readonly credentials: Credentials;
  /** Headers by which the user acts as another. */
  readonly impersonation?: Readonly<Record<string, string | readonly string[]>>;
  /** For what names none. */
  readonly namespace: string;
}

/** Either may be missing; a token goes into every request, a certificate into every connection. */
export interface Credential {
  /** The whole Authorization header. */
  readonly authorization?: string | undefined;
  /** PEM. */
  readonly certificate?: string | undefined;
  /** PEM. */
  readonly key?: string | undefined;
}

export interface Credentials {
  /** What is valid now: the same value as before unless something has changed. */
  current(signal?: AbortSignal): Promise<Credential>;
  /** Says that the server did not take it, so that `current` looks for a newer one. */
  reject(credential: Credential): void;
}

export function staticCredentials(credential: Credential): Credentials {
  return { current: () => Promise.resolve(credential), reject: () => undefined };
}
