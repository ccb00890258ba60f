// Levels of Pod Security: the labels of namespaces, and the violations of a pod.
import type { FieldError } from "../../../../api/fields/field-error.ts";
import { invalid } from "../../../../api/fields/field-errors.ts";
import { baseline } from "./baseline.ts";
import type { Check, CheckedPod, Violation } from "./check.ts";
import { restricted } from "./restricted.ts";

export type Level = "privileged" | "baseline" | "restricted";

export interface LevelVersion {
  readonly level: Level;
  /** The minor version of Kubernetes 1. */
  readonly version: number | "latest";
}

export const modes = ["enforce", "audit", "warn"] as const;
export type Mode = (typeof modes)[number];
export type Policy = Readonly<Record<Mode, LevelVersion>>;

const prefix = "pod-security.kubernetes.io/";
const levels: readonly Level[] = ["privileged", "baseline", "restricted"];

export const privilegedPolicy: Policy = {
  enforce: { level: "privileged", version: "latest" },
  audit: { level: "privileged", version: "latest" },
  warn: { level: "privileged", version: "latest" },
};

/** Returns the violations of a pod in Kubernetes' order: the checks of the lower level first. */
export function violations(pod: CheckedPod, { level, version }: LevelVersion): Violation[] {
  if (level === "privileged") return [];
  const minor = version === "latest" ? Number.POSITIVE_INFINITY : version;
  const stricter =
    level === "restricted" ? restricted.filter((check) => appliesTo(check, minor)) : [];
  const replaced = new Set(stricter.flatMap(({ replaces = [] }) => replaces));
  const lower = baseline.filter(({ id }) => !replaced.has(id));
  return [...lower, ...stricter].flatMap(({ versions }) => {
    const found = versions.findLast(({ since }) => since <= minor)?.check(pod);
    return found === undefined ? [] : [found];
  });
}

function appliesTo({ versions }: Check, minor: number): boolean {
  return versions.some(({ since }) => since <= minor);
}

export function describe(found: readonly Violation[]): string {
  return found
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");
}

export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version === "latest" ? version : `v1.${version}`}`;
}

/** Parses the labels. An invalid level to enforce counts as "restricted"; errors come beside the policy. */
export function policyOf(
  labels: Readonly<Record<string, string>>,
  defaults: Policy,
): { readonly policy: Policy; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: Mode): LevelVersion => {
    const level = labels[prefix + mode];
    const version = labels[`${prefix}${mode}-version`];
    return {
      level: level === undefined ? defaults[mode].level : readLevel(level, mode),
      version: version === undefined ? defaults[mode].version : readVersion(version, mode),
    };
  };
  const readLevel = (text: string, mode: Mode): Level => {
    const found = parseLevel(text);
    if (found !== undefined) return found;
    errors.push(labelError(mode, text, levelRule));
    return mode === "enforce" ? "restricted" : "privileged";
  };
  const readVersion = (text: string, mode: Mode): number | "latest" => {
    const found = parseVersion(text);
    if (found !== undefined) return found;
    errors.push(labelError(`${mode}-version`, text, versionRule));
    return "latest";
  };
  const policy = { enforce: read("enforce"), audit: read("audit"), warn: read("warn") };
  return { policy: { ...policy, warn: warned(policy, labels) }, errors };
}

/** Raises the level of warnings to the enforced one, unless a label sets it. */
function warned({ enforce, warn }: Policy, labels: Readonly<Record<string, string>>): LevelVersion {
  const isEnforced = parseLevel(labels[`${prefix}enforce`] ?? "") !== undefined;
  const hasLevel = labels[`${prefix}warn`] !== undefined;
  if (hasLevel || !isEnforced || compareLevels(enforce.level, warn.level) <= 0) return warn;
  const hasVersion = labels[`${prefix}warn-version`] !== undefined;
  return { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
}

export const levelRule = `must be one of ${levels.join(", ")}`;
export const versionRule = 'must be "latest" or "v1.x"';

function labelError(name: string, value: string, rule: string): FieldError {
  return invalid(`metadata.labels[${prefix}${name}]`, value, rule);
}

export function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text);
}

export function parseVersion(text: string): number | "latest" | undefined {
  if (text === "latest") return "latest";
  const [, minor] = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** Compares levels; positive when the first is stricter. */
export function compareLevels(one: Level, other: Level): number {
  return levels.indexOf(one) - levels.indexOf(other);
}

export function sameLevel(one: LevelVersion, other: LevelVersion): boolean {
  return one.level === other.level && one.version === other.version;
}

export function isNamed(labels: Readonly<Record<string, string>>, mode: Mode): boolean {
  return labels[prefix + mode] !== undefined || labels[`${prefix}${mode}-version`] !== undefined;
}

export function isPrivileged(policy: Policy): boolean {
  return modes.every((mode) => policy[mode].level === "privileged");
}
