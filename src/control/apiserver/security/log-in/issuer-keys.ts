// The keys of an external issuer: found by its discovery document, cached, and fetched again when a token
// names an unknown key, though not for every such token.
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { askJson } from "./json-request.system.ts";

export interface IssuerKeysOptions {
  readonly url: string;
  readonly discoveryUrl?: string | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly now: () => Date;
}

/** The shortest time between two fetches, whatever tokens come. */
const coolMs = 10_000;
const keptMs = 60 * 60_000;

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: JWTVerifyGetKey | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** Finds the key of a token, for `jwtVerify`. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#keys === undefined || this.#age() > keptMs) await this.#refresh();
    try {
      return await this.#known()(header, token);
    } catch (error) {
      const isMissing = (error as { code?: string }).code === "ERR_JWKS_NO_MATCHING_KEY";
      if (!isMissing || this.#age() < coolMs) throw error;
    }
    await this.#refresh();
    return await this.#known()(header, token);
  };

  #known(): JWTVerifyGetKey {
    if (this.#keys === undefined)
      throw new Error(`Cannot verify tokens of ${this.#options.url}: its keys are unknown`);
    return this.#keys;
  }

  #age(): number {
    return this.#options.now().getTime() - this.#fetchedAt;
  }

  async #refresh(): Promise<void> {
    if (this.#age() < coolMs) return;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    await this.#fetching;
  }

  async #fetch(): Promise<void> {
    const { url, discoveryUrl, certificateAuthority: ca, now } = this.#options;
    // The time is set before the fetch, so that a provider that is down is not asked for every token.
    this.#fetchedAt = now().getTime();
    const tls = ca === undefined ? {} : { tls: { ca } };
    const where = discoveryUrl ?? `${url.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = (await askJson({ url: where, ...tls })) as {
      issuer?: string;
      jwks_uri?: string;
    };
    if (document.issuer !== url) {
      throw new Error(
        `Cannot trust ${where}: it is of the issuer ${JSON.stringify(document.issuer)}`,
      );
    }
    const keys = document.jwks_uri ?? "";
    if (!keys.startsWith("https://"))
      throw new Error(`Cannot use ${where}: its jwks_uri is no https URL`);
    this.#keys = createLocalJWKSet((await askJson({ url: keys, ...tls })) as JSONWebKeySet);
  }
}
