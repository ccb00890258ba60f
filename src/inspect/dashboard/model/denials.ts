// Packets that policies deny, as the metrics of nodes count them.

export interface DenialCount {
  /** All that tells it from others. */
  readonly name: string;
  readonly node: string;
  readonly family: string;
  readonly direction: string;
  readonly policy: string;
  readonly rule: string;
  /** "audit" if packets pass nevertheless. */
  readonly mode: string;
  readonly packets: number;
  /** How many there were when somebody began to look. */
  readonly before: number;
  /** When the number last grew; undefined if it has not since somebody looks. */
  readonly lastAt?: string;
}

const metric = "tandem_policy_denied_packets_total";
const line = new RegExp(String.raw`^${metric}\{(.*)\} (\d+(?:\.\d+)?(?:e\+\d+)?)$`);

/** Reads the counts of one node from the text of its metrics. */
export function readDenials(text: string, node: string): readonly DenialCount[] {
  return text.split("\n").flatMap((each) => {
    const [, labels, value] = line.exec(each) ?? [];
    if (labels === undefined) return [];
    const { family = "", direction = "", policy = "", rule = "", mode = "" } = labelsOf(labels);
    const name = [node, family, direction, policy, rule, mode].join(" ");
    const packets = Number(value);
    return [{ name, node, family, direction, policy, rule, mode, packets, before: packets }];
  });
}

/** Returns the count after another look; the same value if nothing has changed. */
export function denialAfter(
  known: DenialCount | undefined,
  seen: DenialCount,
  { at, isFirstLook }: { readonly at: string; readonly isFirstLook: boolean },
): DenialCount {
  if (known === undefined) {
    return isFirstLook ? seen : { ...seen, before: 0, lastAt: at };
  }
  if (known.packets === seen.packets) return known;
  // An agent that was started again counts from the beginning.
  const before = seen.packets < known.packets ? 0 : known.before;
  return { ...seen, before, lastAt: at };
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(
    found.map(([, name = "", value = ""]) => [
      name,
      value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped)),
    ]),
  );
}
