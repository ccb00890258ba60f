// Option types for addresses, prefixes, and endpoints to connect to or listen on.

import { Address } from "../net/address.ts";
import { Prefix } from "../net/prefix.ts";
import type { ListenAddress } from "./listen.system.ts";
import { listOf, scalar } from "./option-types.ts";
import type { OptionType } from "./options.ts";

export interface HostPort {
  /** The host name or address, without brackets. */
  readonly host: string;
  readonly port: number;
}

export function address(placeholder = "ADDRESS"): OptionType<Address> {
  return scalar({ placeholder, parse: Address.parse });
}

export function addressList(): OptionType<Address[]> {
  return listOf(address());
}

export function prefix(placeholder = "CIDR"): OptionType<Prefix> {
  return scalar({ placeholder, parse: Prefix.parse });
}

export function prefixList(): OptionType<Prefix[]> {
  return listOf(prefix());
}

/** The type of `host:port`, `10.0.0.1:80`, `[fd00::1]:80`; the port is optional if there is a default. */
export function hostPort(defaults: { port?: number } = {}): OptionType<HostPort> {
  return scalar({
    placeholder: defaults.port === undefined ? "HOST:PORT" : "HOST[:PORT]",
    parse(value) {
      const parsed = parseHostPort(value, defaults.port);
      if (parsed.host === "") throw new Error("expected a host before the port");
      return parsed;
    },
  });
}

export function hostPortList(defaults: { port?: number } = {}): OptionType<HostPort[]> {
  return listOf(hostPort(defaults));
}

/**
 * The type of listen addresses: an address and port, `localhost:PORT` for the loopback of every family the
 * machine has, `:PORT` for all addresses of every family, or `unix:PATH`.
 */
export function listenList(): OptionType<ListenAddress[]> {
  return listOf(
    scalar<ListenAddress>({
      placeholder: "HOST:PORT",
      parse(value) {
        if (value.startsWith("unix:")) return parseSocketPath(value.slice("unix:".length));
        const parsed = parseHostPort(value, undefined);
        if (parsed.host === "" || parsed.host === "localhost") return parsed;
        return { host: Address.parse(parsed.host).toString(), port: parsed.port };
      },
    }),
  );
}

function parseHostPort(value: string, defaultPort: number | undefined): HostPort {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d+))?$/.exec(value);
  if (match === null) {
    throw new Error("expected HOST:PORT, with an IPv6 address in brackets: [fd00::1]:80");
  }
  const [, bracketed, plain, portText] = match;
  const port = portText === undefined ? defaultPort : Number(portText);
  if (port === undefined) throw new Error("expected a port: HOST:PORT");
  if (port > 65535) throw new Error("expected a port of at most 65535");
  const host =
    bracketed === undefined ? canonicalHost(plain ?? "") : Address.parse(bracketed).toString();
  return { host, port };
}

/** The host with canonical addresses; text like an address that is none is refused, not resolved. */
function canonicalHost(host: string): string {
  if (/^[\d.]+$/.test(host)) return Address.parse(host).toString();
  if (/^[\w.-]*$/.test(host)) return host;
  throw new Error(`expected a host name or an address, not "${host}"`);
}

function parseSocketPath(path: string): ListenAddress {
  if (!path.startsWith("/")) throw new Error("expected an absolute path: unix:/run/tandem.sock");
  return { path };
}
