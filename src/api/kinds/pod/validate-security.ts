// Checks of security contexts: users, groups, capabilities, profiles. Profiles and users are checked for form
// only.

import type { FieldError } from "../../fields/field-error.ts";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../fields/field-errors.ts";
import type {
  AppArmorProfile,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from "../../types/core.ts";
import { each, isRepeated, tooLong } from "../checks.ts";
import { dottedSysctl, sysctlFormat, sysctlScope } from "./sysctls.ts";
import { descendingPathErrors } from "./validate-paths.ts";

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];
const maxSysctlName = 253;
const maxProfilePath = 4095;

export function podSecurityErrors(spec: PodSpec, path: string): FieldError[] {
  const context = spec.securityContext ?? {};
  const isSharing = spec.shareProcessNamespace === true && spec.hostPID === true;
  const shareDetail = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [
    ...(isSharing ? [invalid(`${path}.shareProcessNamespace`, true, shareDetail)] : []),
    ...sysctlErrors(spec, `${path}.sysctls`),
    ...seccompErrors(context.seccompProfile, `${path}.seccompProfile`),
    ...appArmorErrors(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

export function containerSecurityErrors(
  context: SecurityContext | undefined,
  path: string,
  { hostUsers }: { hostUsers: boolean },
): FieldError[] {
  if (context === undefined) return [];
  const { procMount, privileged, allowPrivilegeEscalation, capabilities } = context;
  const cannot = (what: string) =>
    invalid(path, context, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  const isConfined = allowPrivilegeEscalation === false;
  const isAdministrator = capabilities?.add?.includes("CAP_SYS_ADMIN") === true;
  const maskDetail = "`hostUsers` must be false to use `Unmasked`";
  return [
    ...(hostUsers && procMount === "Unmasked"
      ? [invalid(`${path}.procMount`, procMount, maskDetail)]
      : []),
    ...seccompErrors(context.seccompProfile, `${path}.seccompProfile`),
    ...(isConfined && privileged === true ? [cannot("`privileged` to true")] : []),
    ...(isConfined && isAdministrator ? [cannot("`capabilities.Add` CAP_SYS_ADMIN")] : []),
    ...appArmorErrors(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

/** Refuses host namespaces for a pod with a user namespace of its own. */
export function hostUserErrors(spec: PodSpec, path: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const shared = { hostNetwork: spec.hostNetwork, HostPID: spec.hostPID, HostIPC: spec.hostIPC };
  return Object.entries(shared)
    .filter(([, isShared]) => isShared === true)
    .map(([field]) => forbidden(`${path}.${field}`, "when `pod.Spec.HostUsers` is false"));
}

function sysctlErrors(spec: PodSpec, path: string): FieldError[] {
  const seen = new Set<string>();
  return each(spec.securityContext?.sysctls, path, ({ name }: Sysctl, one) => {
    const field = `${one}.name`;
    if (!name) return [required(field)];
    if (name.length > maxSysctlName || !new RegExp(sysctlFormat).test(name)) {
      const detail = `must have at most ${maxSysctlName} characters and match regex ${sysctlFormat}`;
      return [invalid(field, name, detail)];
    }
    return [
      ...(isRepeated(seen, name) ? [duplicate(field, name)] : []),
      ...hostSysctlErrors(spec, name, field),
    ];
  });
}

/** Refuses a sysctl of a namespace that the pod shares with its host; those of no namespace the node refuses. */
function hostSysctlErrors(spec: PodSpec, name: string, field: string): FieldError[] {
  const scope = sysctlScope(dottedSysctl(name));
  if (spec.hostNetwork === true && scope === "network") {
    return [invalid(field, name, "may not be specified when 'hostNetwork' is true")];
  }
  if (spec.hostIPC === true && scope === "ipc") {
    return [invalid(field, name, "may not be specified when 'hostIPC' is true")];
  }
  return [];
}

function seccompErrors(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const field = `${path}.localhostProfile`;
  return [
    ...typeErrors(type, `${path}.type`, "seccompProfile"),
    ...(type === "Localhost"
      ? localhostProfile === undefined
        ? [required(field, "must be set when seccomp type is Localhost")]
        : descendingPathErrors(localhostProfile, field)
      : localhostProfile === undefined
        ? []
        : [invalid(field, profile, "can only be set when seccomp type is Localhost")]),
  ];
}

function appArmorErrors(profile: AppArmorProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile: name } = profile;
  const field = `${path}.localhostProfile`;
  if (type !== "Localhost") {
    const errors = typeErrors(type, `${path}.type`, "appArmorProfile");
    if (errors.length > 0 || name === undefined) return errors;
    return [invalid(field, name, "can only be set when AppArmor type is Localhost")];
  }
  if (name === undefined || name === "") {
    return [required(field, "must be set when AppArmor type is Localhost")];
  }
  return [
    ...(name.trim() === name ? [] : [invalid(field, name, "must not be padded with whitespace")]),
    ...tooLong(field, name, maxProfilePath),
  ];
}

function typeErrors(type: string | undefined, field: string, what: string): FieldError[] {
  if (!type) return [required(field, `type is required when ${what} is set`)];
  return profileTypes.includes(type) ? [] : [notSupported(field, type, profileTypes)];
}
