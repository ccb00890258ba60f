// The rules for names. A rule returns what is wrong, in the words that Kubernetes uses, because people and
// programs compare them.

/** Returns the faults of a text; none if it is valid. */
export type NameRule = (text: string) => string[];

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const looseLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const alphanumeric = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const startAndEnd = "and must start and end with an alphanumeric character";

export const dnsSubdomain = rule({
  format: subdomain,
  limit: 253,
  must: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${startAndEnd}`,
  examples: ["example.com"],
});

const labelFormat = rule({
  format: label,
  must: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${startAndEnd}`,
  examples: ["my-name", "123-abc"],
});

export const dnsLabel: NameRule = (text) => {
  const problems = labelFormat(text);
  const hasDots = problems.length > 0 && text.length <= 253 && dnsSubdomain(text).length === 0;
  return [...longerThan(63, text), ...(hasDots ? ["must not contain dots"] : problems)];
};

/** The name of a service: a label that starts with a letter. */
export const serviceName = rule({
  format: "[a-z]([-a-z0-9]*[a-z0-9])?",
  limit: 63,
  must: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ["my-name", "abc-123"],
});

export const wildcardSubdomain = rule({
  format: `\\*\\.${subdomain}`,
  limit: 253,
  must: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ["*.example.com"],
});

/** A search domain of a resolver, which may contain underscores. */
export const searchDomain = rule({
  format: `${looseLabel}(\\.${looseLabel})*`,
  shown: subdomain,
  limit: 253,
  must: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', ${startAndEnd}`,
  examples: ["example.com"],
});

export const labelValue = rule({
  format: `(${alphanumeric})?`,
  limit: 63,
  must: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${startAndEnd}`,
  examples: ["MyValue", "my_value", "12345"],
});

const qualifiedFormat = {
  format: alphanumeric,
  must: `must consist of alphanumeric characters, '-', '_' or '.', ${startAndEnd}`,
  examples: ["MyName", "my.name", "123-abc"],
};
const localName = rule(qualifiedFormat);

/** `name` or `example.com/name`: keys of labels and annotations, finalizers, conditions. */
export const qualifiedName: NameRule = (text) => {
  const parts = text.split("/");
  if (parts.length > 2) {
    const prefixed = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${describe(qualifiedFormat)}${prefixed}`];
  }
  const [name = "", prefix] = parts.toReversed();
  const empty = "must be non-empty";
  return [
    ...(prefix === undefined ? [] : prefix === "" ? [empty] : dnsSubdomain(prefix)).map(
      (problem) => `prefix part ${problem}`,
    ),
    ...[...(name === "" ? [empty] : longerThan(63, name)), ...localName(name)].map(
      (problem) => `name part ${problem}`,
    ),
  ];
};

const keyFormat = rule({
  format: "[-._a-zA-Z0-9]+",
  limit: 253,
  must: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ["key.name", "KEY_NAME", "key-name"],
});

/** A key of a config map or secret, which becomes a file name. */
export const configKey: NameRule = (text) => {
  const problems = keyFormat(text);
  if (text === "." || text === "..") problems.push(`must not be '${text}'`);
  else if (text.startsWith("..")) problems.push("must not start with '..'");
  return problems;
};

export const environmentName: NameRule = (text) => {
  if (text.length > 0 && /^[\x20-\x3c\x3e-\x7e]+$/.test(text)) return [];
  return [
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ];
};

export const headerName = rule({
  format: "[-A-Za-z0-9]+",
  must: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ["X-Header-Name"],
});

export const percentage = rule({
  format: "[0-9]+%",
  must: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ["1%", "93%"],
});

export const portName: NameRule = (text) => {
  const problems = longerThan(15, text);
  if (!/^[-a-z0-9]+$/.test(text)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(text)) problems.push("must contain at least one letter (a-z)");
  if (text.includes("--")) problems.push("must not contain consecutive hyphens");
  if (/^-|-$/.test(text)) problems.push("must not begin or end with a hyphen");
  return problems;
};

/** A segment of a URL path. */
export const pathSegment: NameRule = (text) => {
  if (text === "." || text === "..") return [`may not be '${text}'`];
  if (text.includes("\0")) return ["may not contain a NUL character"];
  return ["/", "%"].filter((one) => text.includes(one)).map((one) => `may not contain '${one}'`);
};

/** The rules by the names that tables use. */
export const nameRules: Readonly<Record<string, NameRule>> = {
  configKey,
  dnsLabel,
  dnsSubdomain,
  environmentName,
  headerName,
  labelValue,
  pathSegment,
  portName,
  qualifiedName,
};

interface Format {
  /** A regular expression for the whole text. */
  readonly format: string;
  /** The pattern that messages show instead. */
  readonly shown?: string;
  readonly limit?: number;
  readonly must: string;
  readonly examples: readonly string[];
}

function rule(format: Format): NameRule {
  const pattern = new RegExp(`^(?:${format.format})$`);
  const { limit = Number.POSITIVE_INFINITY } = format;
  return (text) => [...longerThan(limit, text), ...(pattern.test(text) ? [] : [describe(format)])];
}

function describe({ must, examples, format, shown = format }: Format): string {
  const quoted = examples.map((example) => `'${example}'`).join(",  or ");
  return `${must} (e.g. ${quoted}, regex used for validation is '${shown}')`;
}

function longerThan(limit: number, text: string): string[] {
  return Buffer.byteLength(text) > limit ? [`must be no more than ${limit} characters`] : [];
}
