import type { Conntrack, FlowSelector } from "./conntrack.ts";

/** Forgets flows that the test put there. */
export class FakeConntrack implements Conntrack {
  flows: readonly Required<FlowSelector>[] = [];
  /** Every deletion that was asked for, whether there was such a flow or not. */
  readonly deletions: FlowSelector[] = [];

  /** The deletions, one a line: `udp 10.96.0.10:53 answered by 10.1.0.2`. */
  get text(): string {
    return this.deletions.map(selectorText).join("\n");
  }

  async deleteFlows(selectors: readonly FlowSelector[]): Promise<number> {
    this.deletions.push(...selectors);
    const before = this.flows.length;
    this.flows = this.flows.filter(
      (flow) => !selectors.some((selector) => matches(flow, selector)),
    );
    return before - this.flows.length;
  }
}

function matches(flow: Required<FlowSelector>, selector: FlowSelector): boolean {
  const { family, protocol, destination, port, replySource } = selector;
  return (
    flow.family === family &&
    flow.protocol === protocol &&
    (destination === undefined || flow.destination.equals(destination)) &&
    (port === undefined || flow.port === port) &&
    (replySource === undefined || flow.replySource.equals(replySource))
  );
}

function selectorText({ family, protocol, destination, port, replySource }: FlowSelector): string {
  const address = destination?.toString() ?? `any ${family}`;
  const place = address.includes(":") && port !== undefined ? `[${address}]` : address;
  const answer = replySource === undefined ? "" : ` answered by ${replySource.toString()}`;
  return `${protocol} ${place}${port === undefined ? "" : `:${port}`}${answer}`;
}
