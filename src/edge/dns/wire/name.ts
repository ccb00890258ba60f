// Domain names in wire format, so that a lookup needs no translation.

/**
 * The labels of a name, each behind its length, in lower case and without the root's zero byte:
 * `\x03web\x07default`. Every character is one byte. The root is the empty string.
 */
export type Name = string;

/** The longest name, beside the root's zero byte. */
const longestName = 254;
const longestLabel = 63;

/** Parses `web.default.svc` with or without a trailing dot; throws when it is no name. */
export function nameOf(text: string): Name {
  const name = tryNameOf(text);
  if (name === undefined) {
    throw new Error(
      `Cannot use ${JSON.stringify(text)} as a domain name: labels have 1 to 63 bytes, names 254`,
    );
  }
  return name;
}

export function tryNameOf(text: string): Name | undefined {
  const dotless = text.endsWith(".") ? text.slice(0, -1) : text;
  if (dotless === "") return text === "." ? "" : undefined;
  let name = "";
  for (const label of dotless.toLowerCase().split(".")) {
    // oxlint-disable-next-line no-control-regex -- every character has to be one byte
    if (label === "" || label.length > longestLabel || /[^\x00-\x7f]/.test(label)) return undefined;
    name += String.fromCharCode(label.length) + label;
  }
  return name.length > longestName ? undefined : name;
}

/** The name as text, `web.default.svc.`, with unprintable bytes as `\007`. */
export function textOf(name: Name): string {
  let text = "";
  for (const label of labelsOf(name)) {
    text += label.replaceAll(/[^!-~]|[.\\]/g, escapeByte);
    text += ".";
  }
  return text === "" ? "." : text;
}

export function labelsOf(name: Name): string[] {
  const labels: string[] = [];
  for (let at = 0; at < name.length; ) {
    const end = at + 1 + name.charCodeAt(at);
    labels.push(name.slice(at + 1, end));
    at = end;
  }
  return labels;
}

/** The name that has this label in front of another. */
export function under(label: string, parent: Name): Name {
  return String.fromCharCode(label.length) + label + parent;
}

export function parentOf(name: Name): Name {
  return name.slice(1 + name.charCodeAt(0));
}

/** Whether the label can stand in front of the name. */
export function fits(label: string, parent: Name): boolean {
  return (
    label !== "" &&
    label.length <= longestLabel &&
    label.length + 1 + parent.length <= longestName &&
    /^[!-~]+$/.test(label)
  );
}

/** Whether the name is the zone's own or below it. */
export function isWithin(name: Name, zone: Name): boolean {
  if (!name.endsWith(zone)) return false;
  // The bytes inside of a label may look like the zone: only the start of a label counts.
  const start = name.length - zone.length;
  let at = 0;
  while (at < start) at += 1 + name.charCodeAt(at);
  return at === start;
}

function escapeByte(character: string): string {
  if (character === "." || character === "\\") return `\\${character}`;
  return `\\${character.charCodeAt(0).toString().padStart(3, "0")}`;
}
