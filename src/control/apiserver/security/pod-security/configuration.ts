// The configuration file of Pod Security: the levels of namespaces without labels, and the exemptions.
import { parse } from "yaml";
import {
  levelRule,
  type Mode,
  modes,
  type Policy,
  parseLevel,
  parseVersion,
  privilegedPolicy,
  versionRule,
} from "./policy.ts";

export interface PodSecuritySettings {
  readonly defaults: Policy;
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

export const defaultPodSecurity: PodSecuritySettings = {
  defaults: privilegedPolicy,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

interface Configuration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly defaults?: Readonly<Record<string, string>>;
  readonly exemptions?: Readonly<Record<string, readonly string[]>>;
  readonly plugins?: readonly { readonly name?: string; readonly configuration?: Configuration }[];
}

/** Parses a PodSecurityConfiguration, or an AdmissionConfiguration that holds one. */
export function readPodSecurity(text: string, file: string): PodSecuritySettings {
  const refuse = (state: string) => new Error(`Cannot use ${file}: ${state}`);
  const document = parse(text) as Configuration | null;
  const isAll = document?.kind === "AdmissionConfiguration";
  if (isAll) {
    const other = (document.plugins ?? []).find(({ name }) => name !== "PodSecurity");
    if (other !== undefined) throw refuse(`plugins: "${other.name}" cannot be configured`);
  }
  const found = isAll ? document.plugins?.[0]?.configuration : document;
  if (found?.kind !== "PodSecurityConfiguration") {
    throw refuse(`kind: "${found?.kind ?? ""}" is not PodSecurityConfiguration`);
  }
  if (
    !/^pod-security\.admission\.config\.k8s\.io\/v1(alpha1|beta1)?$/.test(found.apiVersion ?? "")
  ) {
    const wanted = "pod-security.admission.config.k8s.io/v1";
    throw refuse(`apiVersion: "${found.apiVersion ?? ""}" is not ${wanted}`);
  }
  const known = modes.flatMap((mode) => [mode, `${mode}-version`]);
  refuseUnknown(found.defaults, known, (name) =>
    refuse(`defaults.${name}: there is no such field`),
  );
  const defaultOf = (mode: Mode): Policy[Mode] => {
    const [levelText, versionText] = [found.defaults?.[mode], found.defaults?.[`${mode}-version`]];
    const level = parseLevel(levelText ?? "privileged");
    const version = parseVersion(versionText ?? "latest");
    if (level === undefined) throw refuse(`defaults.${mode}: "${levelText}" ${levelRule}`);
    if (version === undefined) {
      throw refuse(`defaults.${mode}-version: "${versionText}" ${versionRule}`);
    }
    return { level, version };
  };
  const defaults: Policy = {
    enforce: defaultOf("enforce"),
    audit: defaultOf("audit"),
    warn: defaultOf("warn"),
  };
  const kinds = ["usernames", "namespaces", "runtimeClasses"] as const;
  refuseUnknown(found.exemptions, kinds, (name) =>
    refuse(`exemptions.${name}: there is no such field`),
  );
  const [usernames, namespaces, runtimeClasses] = kinds.map((kind) =>
    listOf(found.exemptions?.[kind], () => refuse(`exemptions.${kind}: must be a list of names`)),
  ) as [readonly string[], readonly string[], readonly string[]];
  return { defaults, exemptions: { usernames, namespaces, runtimeClasses } };
}

function refuseUnknown(
  fields: object | undefined,
  known: readonly string[],
  refuse: (name: string) => Error,
): void {
  const unknown = Object.keys(fields ?? {}).find((name) => !known.includes(name));
  if (unknown !== undefined) throw refuse(unknown);
}

function listOf(value: unknown, refuse: () => Error): readonly string[] {
  if (value === undefined || value === null) return [];
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "");
  if (!isList) throw refuse();
  return value as string[];
}
