import { HostError } from "../../../base/host/error.ts";
import type { Connections, IpvsAdmin } from "./ipvs-admin.ts";

/** A fake ipvsadm, which keeps virtual services as the kernel does and refuses what it would. */
export class FakeIpvsAdmin implements IpvsAdmin {
  /** The lines that were carried out, in order. */
  readonly lines: string[] = [];
  /** The number of connections of each server, by `service server`. */
  readonly active = new Map<string, number>();
  readonly #services = new Map<string, { settings: string; servers: Map<string, string> }>();

  /** The virtual services and servers, sorted, one a line. */
  get dump(): string {
    return [...this.#lines()].toSorted().join("\n");
  }

  async restore(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      this.#carryOut(line);
      this.lines.push(line);
    }
  }

  async save(): Promise<readonly string[]> {
    return [...this.#lines()];
  }

  async connections(services: readonly string[]): Promise<Connections> {
    const countsOf = (service: string): ReadonlyMap<string, number> => {
      const servers = [...(this.#services.get(service)?.servers.keys() ?? [])];
      return new Map(servers.map((one) => [one, this.active.get(`${service} ${one}`) ?? 0]));
    };
    return new Map(services.map((service) => [service, countsOf(service)]));
  }

  *#lines(): Generator<string> {
    for (const [key, { settings, servers }] of this.#services) {
      yield `-A ${key} ${settings.replace(/ -M \S+$/, "")}`;
      for (const [server, rest] of servers) yield `-a ${key} -r ${server} ${rest}`;
    }
  }

  #carryOut(line: string): void {
    const [, verb = "", key = "", rest = ""] = pattern.exec(line) ?? [];
    const [, server = "", terms = ""] = /^-r (\S+) ?(.*)$/.exec(rest) ?? [];
    const service = this.#services.get(key);
    const isThere = verb.toUpperCase() === verb ? service : service?.servers.get(server);
    const adds = verb.toLowerCase() === "-a";
    if ((verb !== "-A" && service === undefined) || adds === (isThere !== undefined)) {
      const reason = adds && isThere !== undefined ? "already-exists" : "not-found";
      throw new HostError(`Cannot carry out ${line}: ${reason}`, { reason });
    }
    if (verb === "-D") this.#services.delete(key);
    else if (verb === "-d") service?.servers.delete(server);
    else if (verb === "-A" || verb === "-E") {
      this.#services.set(key, {
        settings: rest,
        servers: service?.servers ?? new Map<string, string>(),
      });
    } else service?.servers.set(server, terms);
  }
}

const pattern = /^(-[AaDdEe]) ((?:-t|-u|--sctp-service) \S+|-f \d+(?: -6)?) ?(.*)$/;
