import type { Address } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { Ip, Link, LinkAddress, Neighbour, Route } from "./ip.ts";

/** Records the lines of batches, and returns the state that the test put there. */
export class FakeIp implements Ip {
  readonly lines: string[] = [];
  readonly shown: {
    links: readonly Link[];
    addresses: readonly LinkAddress[];
    routes: readonly Route[];
    neighbours: readonly Neighbour[];
    /** The source addresses by destination. */
    sources: Readonly<Record<string, Address>>;
  } = { links: [], addresses: [], routes: [], neighbours: [], sources: {} };
  readonly #failures = new Map<string, Error>();

  /** The lines of all batches so far. */
  get text(): string {
    return this.lines.join("\n");
  }

  /** Makes every batch stop at this line. */
  fail(line: string, error: Error): void {
    this.#failures.set(line, error);
  }

  async batch(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const failure = this.#failures.get(line);
      if (failure !== undefined) throw failure;
      this.lines.push(line);
    }
  }

  async links(): Promise<readonly Link[]> {
    return this.shown.links;
  }

  async addresses(family: Family): Promise<readonly LinkAddress[]> {
    return this.shown.addresses.filter(({ address }) => address.family === family);
  }

  async routes(family: Family): Promise<readonly Route[]> {
    return this.shown.routes.filter(({ destination }) => destination.family === family);
  }

  async sourceTo(address: Address): Promise<Address | undefined> {
    return this.shown.sources[address.toString()];
  }

  async neighbours(family: Family): Promise<readonly Neighbour[]> {
    return this.shown.neighbours.filter(({ address }) => address.family === family);
  }
}
