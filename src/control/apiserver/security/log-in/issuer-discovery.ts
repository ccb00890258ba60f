// The discovery documents by which others verify this cluster's service account tokens: issuer and keys.
import { exportJWK, importSPKI } from "jose";

export interface IssuerDocuments {
  readonly [path: string]: { readonly body: object; readonly type: string };
}

export interface IssuerDocumentsOptions {
  readonly issuer: string;
  /** The public key, as PEM. */
  readonly publicKey: string;
  readonly keyId: string;
  readonly algorithm: string;
  /** The URL of the keys, when it is not below the issuer's. */
  readonly jwksUri?: string | undefined;
}

export async function issuerDocuments(options: IssuerDocumentsOptions): Promise<IssuerDocuments> {
  const { issuer, keyId: kid, algorithm: alg, publicKey, jwksUri } = options;
  const key = await exportJWK(await importSPKI(publicKey, alg, { extractable: true }));
  const configuration = {
    issuer,
    jwks_uri: jwksUri ?? `${issuer.replace(/\/$/, "")}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [alg],
  };
  return {
    "/.well-known/openid-configuration": { body: configuration, type: "application/json" },
    "/openid/v1/jwks": {
      body: { keys: [{ use: "sig", kid, alg, ...key }] },
      type: "application/jwk-set+json",
    },
  };
}
