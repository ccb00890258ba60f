// What the controllers of certificates ask of the part that holds the root's key.

export interface SigningRequest {
  readonly signerName: string;
  readonly request: string;
  readonly usages?: readonly string[] | undefined;
  readonly expirationSeconds?: number | undefined;
}

export interface CertificateSigner {
  /** The user a node's client certificate would be of; `undefined` for other certificates. */
  nodeUserOf(request: SigningRequest): string | undefined;
  /** `undefined` when another signs such requests. */
  sign(
    request: SigningRequest,
  ): Promise<{ readonly certificate: string } | { readonly fault: string } | undefined>;
}
