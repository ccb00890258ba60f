import type { CallOptions } from "../../../base/host/command.ts";
import { HostError, isNotFound, isNotInstalled, isNotSupported } from "../../../base/host/error.ts";
import type { Ip } from "../../../base/host/ip.ts";
import type { Nft } from "../../../base/host/nft.ts";
import type { Sysctl } from "../../../base/host/sysctl.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { type FamilySettings, type Frontend, protocols } from "../plan/frontend.ts";
import type { Delta } from "../plan/frontend-table.ts";
import type { Proxier } from "../proxier.ts";
import { CommandWriter } from "../table/commands.ts";
import { wordsOf } from "../table/words.ts";
import { ServiceDevice } from "./device.ts";
import { nodeServices } from "./elements.ts";
import type { IpvsAdmin } from "./ipvs-admin.ts";
import { hookCommands, layoutCommands, layoutVersion, tableName } from "./layout.ts";
import { type Found, IpvsLedger, type Steps } from "./ledger.ts";
import { canaryMark, isOurMark } from "./marks.ts";
import { addressKey, markKey, readServices } from "./virtual-service.ts";

interface Options {
  readonly admin: IpvsAdmin;
  readonly ip: Ip;
  readonly nft: Nft;
  readonly sysctl: Sysctl;
  readonly settings: FamilySettings;
  /** The scheduler of ipvs, which spreads connections over servers; round robin if not given. */
  readonly scheduler?: string;
}

export function ipvsProxier(options: Options): Proxier {
  return new IpvsProxier(options);
}

/**
 * The sysctls of ipvs. Masquerading needs `conntrack`; with the others no client is sent to a server that
 * is gone.
 */
const sysctls = {
  "net/ipv4/vs/conntrack": 1,
  "net/ipv4/vs/expire_nodest_conn": 1,
  "net/ipv4/vs/expire_quiescent_template": 1,
} as const;

class IpvsProxier implements Proxier {
  readonly family: Family;
  readonly #admin: IpvsAdmin;
  readonly #ip: Ip;
  readonly #device: ServiceDevice;
  readonly #nft: Nft;
  readonly #sysctl: Sysctl;
  readonly #settings: FamilySettings;
  readonly #scheduler: string;
  #ledger: IpvsLedger;

  constructor({ admin, ip, nft, sysctl, settings, scheduler = "rr" }: Options) {
    this.family = settings.family;
    this.#admin = admin;
    this.#ip = ip;
    this.#device = new ServiceDevice(this.family, ip);
    this.#nft = nft;
    this.#sysctl = sysctl;
    this.#settings = settings;
    this.#scheduler = scheduler;
    this.#ledger = new IpvsLedger({ family: this.family, scheduler });
  }

  get size(): number {
    return this.#ledger.size;
  }

  get #canary(): string {
    return markKey(canaryMark, this.family);
  }

  /**
   * Creates a virtual service that has no clients, which fails without the scheduler, and deletes it at
   * once.
   */
  async check(options?: CallOptions): Promise<void> {
    if (this.#settings.servesLoopback) {
      const state = "virtual services lead nothing from there to other machines";
      throw new HostError(`Cannot serve node ports at loopback addresses by ipvs: ${state}`, {
        reason: "not-supported",
      });
    }
    const words = wordsOf(this.family, `${tableName}-check`);
    const commands = [...layoutCommands(this.#settings, words), ...hookCommands(words)];
    await this.#nft.check(script(commands), options);
    const key = markKey(canaryMark - 1, this.family);
    for (const scheduler of [this.#scheduler, "sh"]) {
      await this.#admin.restore([`-A ${key} -s ${scheduler}`, `-D ${key}`], options);
    }
    if (await this.#device.exists(options)) return;
    await this.#device.prepare(options);
    await this.#device.delete(options);
  }

  async replace(frontends: readonly Frontend[], options?: CallOptions): Promise<void> {
    // The kernel is read before anything is changed: that fails where there is no ipvs.
    const found = await this.#find(options);
    await this.#sysctl.write(sysctls, options);
    await this.#device.prepare(options);
    const ledger = new IpvsLedger({
      family: this.family,
      scheduler: this.#scheduler,
      nodeAddresses: await this.#nodeAddresses(options),
      found,
    });
    const steps = ledger.fill(frontends);
    const rules = [
      ...this.#withoutTable(),
      ...layoutCommands(this.#settings, ledger.words),
      ...steps.rules,
      ...hookCommands(ledger.words),
    ];
    if (!found.services.has(this.#canary)) {
      await this.#admin.restore([`-A ${this.#canary} -s ${this.#scheduler}`], options);
    }
    await this.#carryOut({ ...steps, rules }, options);
    this.#ledger = ledger;
    await this.#release(steps.draining, options);
  }

  async apply(delta: Delta, options?: CallOptions): Promise<void> {
    const steps = this.#ledger.change(delta.values());
    await this.#carryOut(steps, options);
    await this.#release(steps.draining, options);
  }

  async sweep(options?: CallOptions): Promise<boolean> {
    const idle = this.#ledger.takeIdle();
    if (idle.length > 0) await this.#nft.apply(script(idle), options);
    await this.#release(this.#ledger.draining, options);
    return this.#ledger.draining.length === 0;
  }

  async isIntact(options?: CallOptions): Promise<boolean> {
    const { table } = wordsOf(this.family, tableName);
    try {
      const layout = await this.#nft.elements({ table, kind: "set", name: "layout" }, options);
      if (!layout.some(({ key }) => key[0] === layoutVersion)) return false;
      if (!(await this.#device.exists(options))) return false;
      // Editing the canary fails where it does not exist.
      await this.#admin.restore([`-E ${this.#canary} -s ${this.#scheduler}`], options);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async remove(options?: CallOptions): Promise<void> {
    try {
      const { services, own } = await this.#find(options);
      await this.#nft.apply(script(this.#withoutTable()), options);
      const lines = [...own].filter((key) => services.has(key)).map((key) => `-D ${key}`);
      const canary = services.has(this.#canary) ? [`-D ${this.#canary}`] : [];
      await this.#admin.restore([...lines, ...canary], options);
    } catch (error) {
      // Only the table is removed: a kernel without ipvs has no virtual services.
      if (!isNotSupported(error) && !isNotInstalled(error)) throw error;
      await this.#nft.apply(script(this.#withoutTable()), options);
    }
    await this.#device.delete(options);
  }

  /**
   * Finds the proxy's virtual services: those with its addresses or marks, or on record. Others may be in
   * use by other programs.
   */
  async #find(options?: CallOptions): Promise<Found> {
    const services = readServices(await this.#admin.save(options));
    const addresses = await this.#device.addresses(options);
    const recorded = await this.#recorded(options);
    const own = [...services.keys()].filter((key) => {
      const [, mark, isIPv6] = /^-f (\d+)( -6)?$/.exec(key) ?? [];
      if (mark === undefined) return addresses.includes(addressOf(key)) || recorded.has(key);
      const family: Family = isIPv6 === undefined ? "IPv4" : "IPv6";
      return family === this.family && isOurMark(Number(mark)) && key !== this.#canary;
    });
    return { services, addresses, own: new Set(own) };
  }

  /** Returns the keys of virtual services at the node's own addresses, which the table records. */
  async #recorded(options?: CallOptions): Promise<ReadonlySet<string>> {
    const { table } = wordsOf(this.family, tableName);
    try {
      const set = { table, kind: "set", name: nodeServices } as const;
      const elements = await this.#nft.elements(set, options);
      return new Set(
        elements.flatMap(({ key: [address = "", name, port] }) => {
          const protocol = protocols.find((one) => one === name);
          return protocol ? [addressKey({ address, port: Number(port) }, protocol)] : [];
        }),
      );
    } catch (error) {
      if (isNotFound(error)) return new Set();
      throw error;
    }
  }

  async #nodeAddresses(options?: CallOptions): Promise<readonly string[]> {
    const all = await this.#ip.addresses(this.family, options);
    return all
      .filter(({ link, address }) => link !== this.#device.name && !address.isLoopback)
      .filter(({ address }) => this.#settings.nodePortPrefixes.some((one) => one.contains(address)))
      .map(({ address }) => address.toString());
  }

  /** Carries out a change in such an order that packets are directed only to services that exist. */
  async #carryOut({ addresses, services, rules }: Steps, options?: CallOptions): Promise<void> {
    await this.#admin.restore(services.adding, options);
    await this.#device.add(addresses.begun, options);
    if (rules.length > 0) await this.#nft.apply(script(rules), options);
    await this.#device.remove(addresses.ended, options);
    await this.#admin.restore(services.removing, options);
  }

  /** Removes draining servers without connections. */
  async #release(services: readonly string[], options?: CallOptions): Promise<void> {
    const connections = await this.#admin.connections(services, options);
    await this.#admin.restore(this.#ledger.release(connections), options);
  }

  #withoutTable(): readonly string[] {
    const write = new CommandWriter(wordsOf(this.family, tableName));
    return [write.table("add"), write.table("delete")];
  }
}

/** Returns the address in a key such as `-t [fd00::1]:80`. */
function addressOf(key: string): string {
  const [, text = ""] = /^\S+ \[?(.*?)\]?:\d+$/.exec(key) ?? [];
  return Address.tryParse(text)?.toString() ?? text;
}

function script(commands: readonly string[]): string {
  return `${commands.join("\n")}\n`;
}
