// Access to a server: its address and our credentials, from a kubeconfig or a service account.

export interface Access {
  readonly server: URL;
  /** The certificate authorities in PEM; the system's when not given. */
  readonly authorities?: string | undefined;
  /** The name expected in the server's certificate, if not the host's. */
  readonly serverName?: string | undefined;
  /** Whether any certificate is accepted. Only where a file says so. */
  readonly insecure?: boolean;
  readonly credentials: Credentials;
  /** The headers by which the user impersonates another. */
  readonly impersonation?: Readonly<Record<string, string | readonly string[]>>;
  /** The namespace of requests that name none. */
  readonly namespace: string;
}

/** A credential: a token for every request, a certificate for every connection, or both. */
export interface Credential {
  /** The whole Authorization header. */
  readonly authorization?: string | undefined;
  /** The client certificate in PEM. */
  readonly certificate?: string | undefined;
  /** The private key in PEM. */
  readonly key?: string | undefined;
}

export interface Credentials {
  /** The credential that is valid now: the same value as before unless it has changed. */
  current(signal?: AbortSignal): Promise<Credential>;
  /** Reports that the server refused the credential, so that `current` obtains a newer one. */
  reject(credential: Credential): void;
}

export function staticCredentials(credential: Credential): Credentials {
  return { current: () => Promise.resolve(credential), reject: () => undefined };
}
