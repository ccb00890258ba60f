// Kubernetes' EncryptionConfiguration: which resources are encrypted, and with which keys.
import { parse } from "yaml";
import { aesgcm, identity, type Provider, secretbox } from "./providers.ts";

export interface EncryptionRule {
  /** The resources: `secrets`, `deployments.apps`, `*.apps`, `*.*` or `*.` for the core group. */
  readonly resources: readonly string[];
  /** The providers: the first one encrypts, all of them decrypt. */
  readonly providers: readonly Provider[];
}

interface KeyList {
  readonly keys?: readonly { readonly name?: string; readonly secret?: string }[];
}

type ProviderEntry = Readonly<Record<string, KeyList | null>>;

const kinds = {
  aesgcm: { make: aesgcm, sizes: [16, 24, 32] },
  secretbox: { make: secretbox, sizes: [32] },
};

/** Parses the file; throws with the file and the field if it makes no sense. */
export function parseEncryption(text: string, file: string): EncryptionRule[] {
  const refuse = (state: string): never => {
    throw new Error(`Cannot read the encryption configuration ${file}: ${state}`);
  };
  const value = parse(text) as {
    apiVersion?: string;
    kind?: string;
    resources?: { resources?: string[]; providers?: ProviderEntry[] }[];
  } | null;
  if (
    value?.apiVersion !== "apiserver.config.k8s.io/v1" ||
    value.kind !== "EncryptionConfiguration"
  ) {
    return refuse("it is not an EncryptionConfiguration of apiserver.config.k8s.io/v1");
  }
  if (!Array.isArray(value.resources) || value.resources.length === 0)
    return refuse("resources is empty");
  return value.resources.map(({ resources = [], providers = [] }, index) => {
    const at = `resources[${index}]`;
    if (resources.length === 0) refuse(`${at}.resources is empty`);
    if (providers.length === 0) refuse(`${at}.providers is empty`);
    const made = providers.flatMap((entry, n) =>
      readProvider(entry, (state) => refuse(`${at}.providers[${n}]${state}`)),
    );
    return { resources, providers: made };
  });
}

function readProvider(entry: ProviderEntry, refuse: (state: string) => never): Provider[] {
  const [name = ""] = Object.keys(entry);
  if (name === "identity") return [identity];
  if (name !== "aesgcm" && name !== "secretbox") {
    return refuse(`: ${JSON.stringify(name)} is none of aesgcm, secretbox and identity`);
  }
  const { make, sizes } = kinds[name];
  const keys = entry[name]?.keys ?? [];
  if (keys.length === 0) return refuse(`.${name}.keys is empty`);
  return keys.map(({ name: key = "", secret = "" }, n) => {
    const field = `.${name}.keys[${n}]`;
    if (key === "" || key.includes(":"))
      return refuse(`${field}.name: ${JSON.stringify(key)} is no name`);
    const bytes = Buffer.from(secret, "base64");
    if (!sizes.includes(bytes.length)) {
      return refuse(`${field}.secret: it has ${bytes.length} bytes, not ${sizes.join(" or ")}`);
    }
    return make(key, bytes);
  });
}
