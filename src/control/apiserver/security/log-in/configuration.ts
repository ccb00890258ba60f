// The configuration file of external issuers: Kubernetes' AuthenticationConfiguration. Fields that need CEL
// are refused, with their path, since a rule that is not evaluated would protect nobody.
import { parse } from "yaml";

export interface IssuerSettings {
  readonly url: string;
  /** The URL of the discovery document, when it is not below the issuer's. */
  readonly discoveryUrl?: string | undefined;
  /** The authority, as PEM; absent: the system's authorities. */
  readonly certificateAuthority?: string | undefined;
  readonly audiences: readonly string[];
  readonly username: ClaimMapping;
  readonly groups?: ClaimMapping | undefined;
  readonly uidClaim?: string | undefined;
  readonly requiredClaims: readonly { readonly claim: string; readonly value: string }[];
}

export interface ClaimMapping {
  readonly claim: string;
  readonly prefix: string;
}

export interface AnonymousSettings {
  readonly enabled: boolean;
  /** The paths that are allowed; all when the list is empty. */
  readonly paths: readonly string[];
}

export interface LogInSettings {
  readonly issuers: readonly IssuerSettings[];
  readonly anonymous: AnonymousSettings;
}

export const defaultLogIn: LogInSettings = {
  issuers: [],
  anonymous: { enabled: true, paths: [] },
};

type Fields = Readonly<Record<string, unknown>>;

export function readAuthentication(text: string, file: string): LogInSettings {
  const refuse = (state: string) => new Error(`Cannot use ${file}: ${state}`);
  const document = fieldsOf(parse(text), () => refuse("it is no AuthenticationConfiguration"));
  const { apiVersion = "", kind = "" } = document;
  if (kind !== "AuthenticationConfiguration") {
    throw refuse(`kind: ${JSON.stringify(kind)} is not AuthenticationConfiguration`);
  }
  if (!/^apiserver\.config\.k8s\.io\/v1(alpha1|beta1)?$/.test(String(apiVersion))) {
    const wanted = "apiserver.config.k8s.io/v1";
    throw refuse(`apiVersion: ${JSON.stringify(apiVersion)} is not ${wanted}`);
  }
  const reader = new Reader(refuse);
  reader.known(document, "", ["apiVersion", "kind", "jwt", "anonymous"]);
  const issuers = reader
    .list(document["jwt"], "jwt")
    .map((jwt, index) => reader.issuer(jwt, `jwt[${index}]`));
  const urls = issuers.map(({ url }) => url);
  const twice = urls.find((url, index) => urls.indexOf(url) !== index);
  if (twice !== undefined) throw refuse(`jwt: the issuer ${twice} is there twice`);
  return { issuers, anonymous: reader.anonymous(document["anonymous"]) };
}

class Reader {
  readonly #refuse: (state: string) => Error;

  constructor(refuse: (state: string) => Error) {
    this.#refuse = refuse;
  }

  issuer(value: unknown, path: string): IssuerSettings {
    const jwt = this.fields(value, path);
    const parts = ["issuer", "claimValidationRules", "claimMappings", "userValidationRules"];
    this.known(jwt, path, parts);
    const at = `${path}.issuer`;
    const issuer = this.fields(jwt["issuer"], at);
    const fields = [
      "url",
      "discoveryURL",
      "certificateAuthority",
      "audiences",
      "audienceMatchPolicy",
    ];
    this.known(issuer, at, [...fields, "egressSelectorType"]);
    const audiences = this.list(issuer["audiences"], `${at}.audiences`).map(String);
    if (audiences.length === 0) throw this.#refuse(`${at}.audiences: Required value`);
    const policy = issuer["audienceMatchPolicy"] ?? "";
    if (audiences.length > 1 && policy !== "MatchAny") {
      throw this.#refuse(`${at}.audienceMatchPolicy: must be MatchAny for multiple audiences`);
    }
    for (const [index, rule] of this.list(
      jwt["userValidationRules"],
      `${path}.userValidationRules`,
    ).entries()) {
      this.#refuseExpression(this.fields(rule, path), `${path}.userValidationRules[${index}]`);
    }
    return {
      url: this.#httpsUrl(issuer["url"], `${at}.url`),
      discoveryUrl:
        issuer["discoveryURL"] === undefined
          ? undefined
          : this.#httpsUrl(issuer["discoveryURL"], `${at}.discoveryURL`),
      certificateAuthority: this.#text(
        issuer["certificateAuthority"],
        `${at}.certificateAuthority`,
      ),
      audiences,
      requiredClaims: this.#claimRules(jwt["claimValidationRules"], `${path}.claimValidationRules`),
      ...this.#mappings(jwt["claimMappings"], `${path}.claimMappings`),
    };
  }

  anonymous(value: unknown): AnonymousSettings {
    if (value === undefined || value === null) return defaultLogIn.anonymous;
    const fields = this.fields(value, "anonymous");
    this.known(fields, "anonymous", ["enabled", "conditions"]);
    const { enabled } = fields;
    if (typeof enabled !== "boolean")
      throw this.#refuse("anonymous.enabled: must be true or false");
    const paths = this.list(fields["conditions"], "anonymous.conditions").map((one, index) => {
      const at = `anonymous.conditions[${index}]`;
      const { path } = this.fields(one, at);
      if (typeof path !== "string" || path === "") throw this.#refuse(`${at}.path: Required value`);
      return path;
    });
    return { enabled, paths };
  }

  #mappings(
    value: unknown,
    path: string,
  ): Pick<IssuerSettings, "username" | "groups" | "uidClaim"> {
    const mappings = this.fields(value, path);
    this.known(mappings, path, ["username", "groups", "uid", "extra"]);
    const [extra] = this.list(mappings["extra"], `${path}.extra`);
    if (extra !== undefined) {
      throw this.#refuse(
        `${path}.extra[0].valueExpression: CEL expressions are not evaluated here`,
      );
    }
    const groups = mappings["groups"];
    const uid = mappings["uid"];
    return {
      username: this.#mapping(mappings["username"], `${path}.username`),
      groups: groups === undefined ? undefined : this.#mapping(groups, `${path}.groups`),
      uidClaim: uid === undefined ? undefined : this.#claim(uid, `${path}.uid`),
    };
  }

  #mapping(value: unknown, path: string): ClaimMapping {
    const claim = this.#claim(value, path);
    const { prefix } = this.fields(value, path);
    if (typeof prefix !== "string") {
      throw this.#refuse(
        `${path}.prefix: Required value: it is required when claim is set ("" for none)`,
      );
    }
    return { claim, prefix };
  }

  #claim(value: unknown, path: string): string {
    const fields = this.fields(value, path);
    this.#refuseExpression(fields, path);
    this.known(fields, path, ["claim", "prefix"]);
    const { claim } = fields;
    if (typeof claim !== "string" || claim === "")
      throw this.#refuse(`${path}.claim: Required value`);
    return claim;
  }

  #claimRules(value: unknown, path: string): IssuerSettings["requiredClaims"] {
    return this.list(value, path).map((rule, index) => {
      const at = `${path}[${index}]`;
      const fields = this.fields(rule, at);
      this.#refuseExpression(fields, at);
      this.known(fields, at, ["claim", "requiredValue"]);
      const { claim, requiredValue } = fields;
      if (typeof claim !== "string" || claim === "")
        throw this.#refuse(`${at}.claim: Required value`);
      if (typeof requiredValue !== "string")
        throw this.#refuse(`${at}.requiredValue: must be a text`);
      return { claim, value: requiredValue };
    });
  }

  #refuseExpression(fields: Fields, path: string): void {
    if (fields["expression"] === undefined) return;
    throw this.#refuse(`${path}.expression: CEL expressions are not evaluated here`);
  }

  #httpsUrl(value: unknown, path: string): string {
    const url = typeof value === "string" ? URL.parse(value) : undefined;
    const isPlain =
      url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
    if (url?.protocol === "https:" && isPlain) return String(value);
    throw this.#refuse(
      `${path}: ${JSON.stringify(value)} must be an https URL without a user or a query`,
    );
  }

  #text(value: unknown, path: string): string | undefined {
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw this.#refuse(`${path}: must be a text`);
  }

  fields(value: unknown, path: string): Fields {
    return fieldsOf(value, () => this.#refuse(`${path}: Required value`));
  }

  known(fields: Fields, path: string, known: readonly string[]): void {
    const unknown = Object.keys(fields).find((name) => !known.includes(name));
    if (unknown === undefined) return;
    throw this.#refuse(`${path === "" ? "" : `${path}.`}${unknown}: there is no such field`);
  }

  list(value: unknown, path: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value as unknown[];
    throw this.#refuse(`${path}: must be a list`);
  }
}

function fieldsOf(value: unknown, refuse: () => Error): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refuse();
  return value as Fields;
}
