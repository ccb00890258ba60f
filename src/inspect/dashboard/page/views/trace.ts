// A packet's way between two ends, in both families beside each other, with the rules at each hop.

import { type ComponentChildren, h } from "preact";
import { useMemo, useState } from "preact/hooks";
import { keyOf } from "../../../../api/client/objects.ts";
import { families } from "../../../../base/net/family.ts";
import type { ClusterObjects } from "../../model/cluster.ts";
import { signs } from "../../model/lamps.ts";
import type { Route } from "../../model/route.ts";
import {
  firstPartedHop,
  readTraceRequest,
  type TracedWay,
  traceCommand,
  traceProtocols,
} from "../../model/trace-request.ts";
import { Command } from "../command.ts";
import { type About, ask } from "../connection.ts";
import { go } from "../navigation.ts";

export interface TraceProps {
  readonly cluster: ClusterObjects;
  readonly about: About;
  readonly route: Route;
}

interface Outcome {
  readonly ways?: readonly TracedWay[];
  readonly error?: string;
}

export function TraceView({ cluster, about, route }: TraceProps): ComponentChildren {
  const { parameters } = route;
  const { from = "", to = "", port = "" } = parameters;
  const target = port === "" ? to : `${to.includes(":") ? `[${to}]` : to}:${port}`;
  const wanted = readTraceRequest(JSON.stringify({ ...parameters, to: target }));
  const [outcome, setOutcome] = useState<Outcome | "running">({});
  const isAllowed = about.allows?.includes("trace") === true;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (wanted === undefined) return setOutcome({ error: "Name two ends, such as shop/web." });
    setOutcome("running");
    try {
      const body = JSON.stringify(wanted);
      const response = await ask("/api/trace", { method: "POST", body });
      setOutcome((await response.json()) as Outcome);
    } catch (error) {
      setOutcome({ error: error instanceof Error ? error.message : String(error) });
    }
  };
  const change = (name: string, value: string): void =>
    go({ view: "trace", parameters: { ...parameters, [name]: value } });
  return h(
    "section",
    null,
    h("h1", null, "Trace"),
    !isAllowed &&
      h(
        "p",
        { role: "status" },
        "A trace sends a packet. Start the dashboard with --allow-trace to trace from here.",
      ),
    h(Ends, { cluster }),
    h(
      "form",
      { class: "filters", onSubmit: (event: Event) => void submit(event) },
      field("from", from, change),
      field("to", to, change),
      field("port", port, change),
      choice("protocol", { value: parameters["protocol"], values: traceProtocols, change }),
      choice("family", { value: parameters["family"], values: families, change }),
      h("button", { type: "submit", disabled: !isAllowed || outcome === "running" }, "Trace"),
    ),
    h(
      "div",
      { role: "status" },
      outcome === "running" ? "The packet is on its way …" : outcome.error,
    ),
    outcome !== "running" && outcome.ways !== undefined && h(Ways, { ways: outcome.ways }),
    wanted !== undefined && h(Command, { text: traceCommand(wanted) }),
  );
}

/** The most ends that are offered; any other can be typed. */
const mostOffered = 500;

/** Who can send and who can be sent to, offered while people type. */
function Ends({ cluster }: { readonly cluster: ClusterObjects }): ComponentChildren {
  const { pods, nodes, services } = cluster;
  const [senders, receivers] = useMemo(() => {
    const named = pods.map((pod) => `pod/${keyOf(pod)}`).toSorted();
    const machines = nodes.map(({ metadata }) => `node/${metadata.name}`);
    const offered = services.map((service) => `service/${keyOf(service)}`).toSorted();
    return [
      ["outside", ...machines, ...named],
      [...offered, ...machines, ...named],
    ];
  }, [pods, nodes, services]);
  const list = (id: string, values: readonly string[] = []): ComponentChildren =>
    h(
      "datalist",
      { id },
      values.slice(0, mostOffered).map((value) => h("option", { key: value, value })),
    );
  const all = receivers?.length ?? 0;
  return [
    list("ends-from", senders),
    list("ends-to", receivers),
    all > mostOffered &&
      h("small", { key: "left out" }, `${mostOffered} of ${all} ends are offered; type any other`),
  ];
}

type Change = (name: string, value: string) => void;

function field(name: string, value: string, change: Change): ComponentChildren {
  return h(
    "label",
    { key: name },
    `${name} `,
    h("input", {
      name,
      value,
      list: name === "port" ? undefined : `ends-${name}`,
      size: name === "port" ? 6 : 24,
      onInput: ({ currentTarget }) => change(name, currentTarget.value),
    }),
  );
}

interface Choice {
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly change: Change;
}

function choice(name: string, { value = "", values, change }: Choice): ComponentChildren {
  return h(
    "select",
    {
      key: name,
      "aria-label": name,
      value,
      onChange: ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
        change(name, currentTarget.value),
    },
    h("option", { value: "" }, `any ${name}`),
    values.map((each) => h("option", { key: each, value: each }, each)),
  );
}

function Ways({ ways }: { readonly ways: readonly TracedWay[] }): ComponentChildren {
  const parted = firstPartedHop(ways);
  return h(
    "div",
    { class: "ways" },
    ways.map((way) =>
      h(
        "article",
        { key: way.family },
        h("h2", null, way.family),
        h(
          "p",
          { class: `lamp ${way.isDelivered ? "ok" : "bad"}` },
          `${way.isDelivered ? signs.ok : signs.bad} ${way.verdict}: ${way.text}.`,
        ),
        h("p", null, `from ${way.from} to ${way.to}`),
        h(
          "ol",
          { class: "places" },
          way.hops.map(({ place, lines }, at) =>
            h(
              "li",
              { key: at, class: at === parted ? "hop differs" : "hop" },
              at === parted && h("strong", null, "≠ the families part here: "),
              h(
                "details",
                { open: at === parted || at === way.hops.length - 1 },
                h("summary", null, `${place} (${lines.length})`),
                h(
                  "ul",
                  null,
                  lines.map((line, index) => h("li", { key: index }, h("code", null, line))),
                ),
              ),
            ),
          ),
        ),
        way.notes.map((note) => h("p", { key: note }, `Note: ${note}.`)),
      ),
    ),
  );
}
