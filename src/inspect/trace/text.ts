// Renders a trace as text for people.

import type { Hop, TraceReport } from "./report.ts";
import { stepText } from "./verdict.ts";
import { headerText, placeText, type Step, type Visit } from "./visits.ts";

export function reportText(report: TraceReport): string {
  const { probe, verdict, hops, answer, notes } = report;
  const to = placeText(probe.destination.toString(), probe.port);
  const from = hops[0]?.first.source ?? probe.source?.toString() ?? "here";
  const lines = [
    `${probe.destination.family}, ${probe.protocol} from ${from} to ${to}: ${verdict.kind}`,
    `  ${verdict.text}.`,
    ...hops.flatMap((hop) => ["", hop.place, ...hopLines(hop).map((line) => `  ${line}`)]),
    ...answerLines(answer),
    ...notes.flatMap((note) => ["", `Note: ${note}.`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** What happens to the packet in one place, a line each. */
export function hopLines(hop: Hop): readonly string[] {
  const { first, began, steps, translations, connection, service } = hop;
  const way = headerText(first);
  const came = began === "sent" ? `sends ${way}` : `receives ${way} on ${first.inDevice}`;
  return [
    came,
    ...(service === undefined ? [] : [`takes it for the service ${service}`]),
    ...steps.flatMap(ruleLines),
    ...translations.map(({ part, before, after, by }) => {
      const who = by === undefined ? ", by no rule that can be seen" : ` (${by.table} ${by.chain})`;
      return `${part} ${before} becomes ${after}${who}`;
    }),
    ...(connection === undefined
      ? []
      : [`connection ${connection.original}, answered as ${connection.answered}`]),
    ...endLines(hop),
  ];
}

/** Returns the lines of a rule; accepting chain policies are left out. */
function ruleLines(step: Step): readonly string[] {
  const { table, chain, rule, verdict } = step;
  if (rule === undefined) return verdict === "accept" ? [] : [`meets ${stepText(step)}`];
  const led = verdict === "continue" || rule.endsWith(verdict) ? "" : ` → ${verdict}`;
  return [`${table} ${chain}: ${rule}${led}`];
}

function endLines({ ended, last, route }: Hop): readonly string[] {
  if (ended === "taken-in") return ["takes it in"];
  if (ended === "lost") return ["does not let it go any further"];
  const next = route?.gateway === undefined ? "" : `, next hop ${route.gateway}`;
  return [`sends it on by ${last.outDevice}${next}`];
}

function answerLines(answer: readonly Visit[]): readonly string[] {
  if (answer.length === 0) return [];
  const places = answer.map(({ place }) => place);
  const rules = answer.flatMap(({ place, steps }) =>
    steps.flatMap(ruleLines).map((line) => `  in ${place}: ${line}`),
  );
  return ["", `the answer passes ${places.join(", ")}`, ...rules];
}
