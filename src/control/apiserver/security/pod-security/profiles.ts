// The checks of AppArmor and seccomp profiles, as fields and as the annotations they were before.
import {
  type CheckedPod,
  called,
  containersOf,
  distinct,
  namesWhere,
  plural,
  quoted,
  setters,
  type Violation,
} from "./check.ts";

const allowedTypes = ["RuntimeDefault", "Localhost"];
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";

type Profile = { readonly type?: string } | undefined;

function isBad(profile: Profile): boolean {
  return profile !== undefined && !allowedTypes.includes(profile.type ?? "");
}

export function appArmor(pod: CheckedPod): Violation | undefined {
  const own = pod.spec.securityContext?.appArmorProfile;
  const profiles = containersOf(pod).map((one) => one.securityContext?.appArmorProfile);
  const bad = namesWhere(pod, (one) => isBad(one.securityContext?.appArmorProfile));
  const types = [own, ...profiles].filter(isBad).map((profile) => profile?.type ?? "");
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .toSorted();
  const values = [...distinct(types), ...annotations];
  if (values.length === 0) return undefined;
  const who = [
    setters(isBad(own), bad),
    annotations.length > 0 ? plural("annotation", annotations.length) : "",
  ].filter((text) => text !== "");
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function isAllowedAppArmor(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

/** Checks the seccomp annotations, which were used before Kubernetes 1.19. */
export function seccompAnnotations(pod: CheckedPod): Violation | undefined {
  const keys = [seccompPod, ...containersOf(pod).map(({ name }) => `${seccompPrefix}${name}`)];
  const bad = distinct(
    keys.flatMap((key) => {
      const value = pod.annotations[key];
      return value === undefined || isAllowedSeccomp(value)
        ? []
        : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  const detail = `forbidden ${plural("annotation", bad.length)} ${bad.join(", ")}`;
  return { reason: "seccompProfile", detail };
}

function isAllowedSeccomp(value: string): boolean {
  return ["runtime/default", "docker/default"].includes(value) || value.startsWith("localhost/");
}

export function seccompProfiles(pod: CheckedPod): Violation | undefined {
  const own = pod.spec.securityContext?.seccompProfile;
  const profiles = containersOf(pod).map((one) => one.securityContext?.seccompProfile);
  const bad = namesWhere(pod, (one) => isBad(one.securityContext?.seccompProfile));
  if (!isBad(own) && bad.length === 0) return undefined;
  const types = [own, ...profiles].filter(isBad).map((profile) => profile?.type ?? "");
  const who = setters(isBad(own), bad);
  const values = quoted(distinct(types));
  return {
    reason: "seccompProfile",
    detail: `${who} must not set securityContext.seccompProfile.type to ${values}`,
  };
}

/** Checks that a seccomp profile is set, by the pod or by each container. */
export function seccompRequired(pod: CheckedPod): Violation | undefined {
  const forbidden = seccompProfiles(pod);
  if (forbidden !== undefined) return forbidden;
  if (pod.spec.securityContext?.seccompProfile !== undefined) return undefined;
  const missing = namesWhere(pod, (one) => one.securityContext?.seccompProfile === undefined);
  if (missing.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${called("container", missing)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
