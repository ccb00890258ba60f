// Semantic versions.
import { CelError, Opaque, type Value } from "../runtime/value.ts";
import { abstractType, type Type } from "../types.ts";
import type { Implementation, Library } from "./library.ts";

export const semverTypes: Readonly<Record<string, Type>> = {
  semver: abstractType("kubernetes.Semver"),
};

export class SemverValue extends Opaque {
  override readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly release: readonly string[];
  readonly text: string;

  constructor(
    numbers: readonly [bigint, bigint, bigint],
    release: readonly string[],
    text: string,
  ) {
    super();
    this.numbers = numbers;
    this.release = release;
    this.text = text;
  }

  override equals(other: Opaque): boolean {
    return compareVersions(this, other as SemverValue) === 0n;
  }
}

const version = (value: Value | undefined) => value as SemverValue;
const at =
  (index: 0 | 1 | 2): Implementation =>
  (value) =>
    version(value).numbers[index];

export const semver: Library = {
  semver: {
    string_to_semver: ["(string) semver", (text) => parse(text as string)],
    string_bool_to_semver: [
      "(string, bool) semver",
      (text, isLoose) => parseLoosely(text as string, isLoose === true),
    ],
  },
  isSemver: {
    is_semver_string: ["(string) bool", (text) => !(parse(text as string) instanceof CelError)],
    is_semver_string_bool: [
      "(string, bool) bool",
      (text, isLoose) => !(parseLoosely(text as string, isLoose === true) instanceof CelError),
    ],
  },
  isGreaterThan: {
    semver_is_greater_than: [
      "semver.(semver) bool",
      (a, b) => compareVersions(version(a), version(b)) > 0n,
    ],
  },
  isLessThan: {
    semver_is_less_than: [
      "semver.(semver) bool",
      (a, b) => compareVersions(version(a), version(b)) < 0n,
    ],
  },
  compareTo: {
    semver_compare_to: ["semver.(semver) int", (a, b) => compareVersions(version(a), version(b))],
  },
  major: { semver_major: ["semver.() int", at(0)] },
  minor: { semver_minor: ["semver.() int", at(1)] },
  patch: { semver_patch: ["semver.() int", at(2)] },
};

function parse(text: string): SemverValue | CelError {
  if (text === "") return new CelError("Version string empty");
  const found = /^([^.]*)\.([^.]*)\.([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/.exec(text);
  if (found === null) return new CelError("No Major.Minor.Patch elements found");
  const [, major = "", minor = "", patch = "", release, build] = found;
  for (const [name, digits] of Object.entries({ major, minor, patch })) {
    const shown = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    if (!/^\d+$/.test(digits)) {
      return new CelError(`Invalid character(s) found in ${name} number ${JSON.stringify(digits)}`);
    }
    if (digits.length > 1 && digits.startsWith("0")) {
      return new CelError(
        `${shown} number must not contain leading zeroes ${JSON.stringify(digits)}`,
      );
    }
  }
  const parts = release === undefined ? [] : release.split(".");
  for (const part of [...parts, ...(build === undefined ? [] : build.split("."))]) {
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new CelError(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`);
  }
  const padded = parts.find((part) => /^0\d+$/.test(part));
  if (padded !== undefined) {
    return new CelError(
      `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(padded)}`,
    );
  }
  return new SemverValue([BigInt(major), BigInt(minor), BigInt(patch)], parts, text);
}

/** Parses also `v1.2` and numbers with leading zeros. */
function parseLoosely(text: string, isLoose: boolean): SemverValue | CelError {
  if (!isLoose) return parse(text);
  const [first = "", second, ...rest] = text.replace(/^v/, "").split(".");
  const parts = second === undefined ? [first] : [first, second];
  if (rest.length > 0) parts.push(rest.join("."));
  const trimmed = parts.map((part) => {
    if (part.length < 2) return part;
    const bare = part.replace(/^0+/, "");
    return /^\d/.test(bare) ? bare : `0${bare}`;
  });
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? "")) {
    return new CelError("short version cannot contain PreRelease/Build meta data");
  }
  while (trimmed.length < 3) trimmed.push("0");
  return parse(trimmed.join("."));
}

function compareVersions(a: SemverValue, b: SemverValue): bigint {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index])
      return a.numbers[index] < b.numbers[index] ? -1n : 1n;
  }
  if (a.release.length === 0 || b.release.length === 0) {
    return BigInt(Number(a.release.length === 0) - Number(b.release.length === 0));
  }
  for (let index = 0; index < Math.max(a.release.length, b.release.length); index++) {
    const [x, y] = [a.release[index], b.release[index]];
    if (x === undefined) return -1n;
    if (y === undefined) return 1n;
    const order = compareParts(x, y);
    if (order !== 0n) return order;
  }
  return 0n;
}

/** Compares parts of a pre-release: numbers come before texts. */
function compareParts(x: string, y: string): bigint {
  const [p, q] = [/^\d+$/.test(x), /^\d+$/.test(y)];
  if (p && q) return BigInt(x) === BigInt(y) ? 0n : BigInt(x) < BigInt(y) ? -1n : 1n;
  if (p !== q) return p ? -1n : 1n;
  return x === y ? 0n : x < y ? -1n : 1n;
}
