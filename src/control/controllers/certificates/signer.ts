// The signer port: what the certificate controllers need of the part that holds the root's key.

export interface SigningRequest {
  readonly signerName: string;
  readonly request: string;
  readonly usages?: readonly string[] | undefined;
  readonly expirationSeconds?: number | undefined;
}

export interface CertificateSigner {
  /** Returns the user of a node's client certificate; `undefined` for other certificates. */
  nodeUserOf(request: SigningRequest): string | undefined;
  /** Signs a request; `undefined` if another signer is responsible. */
  sign(
    request: SigningRequest,
  ): Promise<{ readonly certificate: string } | { readonly fault: string } | undefined>;
}
