// Addresses and CIDRs.
import { Address } from "../../../base/net/address.ts";
import { parseAddressText } from "../../../base/net/address-text.ts";
import { bitsOf } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { CelError, Opaque, type Value } from "../runtime/value.ts";
import type { Type } from "../types.ts";
import type { Implementation, Library } from "./library.ts";

export const netTypes: Readonly<Record<string, Type>> = {
  ip: { kind: "opaque", name: "net.IP", params: [] },
  cidr: { kind: "opaque", name: "net.CIDR", params: [] },
};

export class IpValue extends Opaque {
  override readonly typeName = "net.IP";
  override readonly size: number;
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
    this.size = bitsOf(address.family) / 8;
  }

  override equals(other: Opaque): boolean {
    return this.address.toString() === (other as IpValue).address.toString();
  }
}

/** A CIDR, whose address may have host bits. */
export class CidrValue extends Opaque {
  override readonly typeName = "net.CIDR";
  override readonly size: number;
  readonly address: Address;
  readonly prefix: Prefix;

  constructor(address: Address, length: number) {
    super();
    this.address = address;
    this.prefix = Prefix.of(address, length);
    this.size = Math.ceil(length / 8);
  }

  override equals(other: Opaque): boolean {
    return this.text === (other as CidrValue).text;
  }

  get text(): string {
    return `${this.address.toString()}/${this.prefix.length}`;
  }
}

const ip = (value: Value | undefined) => value as IpValue;
const cidr = (value: Value | undefined) => value as CidrValue;
const within = (text: string): Implementation => {
  const prefixes = text.split(" ").map(Prefix.parse);
  return (value) => {
    const { address } = ip(value);
    return prefixes.some((each) => each.family === address.family && each.contains(address));
  };
};
const unspecified = within("0.0.0.0/32 ::/128");
const loopback = within("127.0.0.0/8 ::1/128");
const multicast = within("224.0.0.0/4 ff00::/8");
const linkLocal = within("169.254.0.0/16 fe80::/10");
const broadcast = within("255.255.255.255/32");

export const net: Library = {
  ip: {
    string_to_ip: ["(string) ip", (text) => parseIp(text as string)],
    cidr_ip: ["cidr.() ip", (value) => new IpValue(cidr(value).address)],
  },
  family: { ip_family: ["ip.() int", (value) => (ip(value).address.family === "IPv4" ? 4n : 6n)] },
  "ip.isCanonical": {
    ip_is_canonical: [
      "(string) bool",
      (text) => {
        const parsed = parseIp(text as string);
        return parsed instanceof CelError ? parsed : parsed.address.toString() === text;
      },
    ],
  },
  isUnspecified: { ip_is_unspecified: ["ip.() bool", unspecified] },
  isLoopback: { ip_is_loopback: ["ip.() bool", loopback] },
  isLinkLocalMulticast: {
    ip_is_link_local_multicast: ["ip.() bool", within("224.0.0.0/24 ff02::/16")],
  },
  isLinkLocalUnicast: { ip_is_link_local_unicast: ["ip.() bool", linkLocal] },
  isGlobalUnicast: {
    ip_is_global_unicast: [
      "ip.() bool",
      (value) =>
        ![unspecified, loopback, multicast, linkLocal, broadcast].some(
          (test) => test(value) === true,
        ),
    ],
  },
  isIP: { is_ip: ["(string) bool", (text) => !(parseIp(text as string) instanceof CelError)] },
  string: {
    ip_to_string: ["(ip) string", (value) => ip(value).address.toString()],
    cidr_to_string: ["(cidr) string", (value) => cidr(value).text],
  },
  cidr: { string_to_cidr: ["(string) cidr", (text) => parseCidr(text as string)] },
  isCIDR: {
    is_cidr: ["(string) bool", (text) => !(parseCidr(text as string) instanceof CelError)],
  },
  containsIP: {
    cidr_contains_ip_string: [
      "cidr.(string) bool",
      (value, text) => {
        const other = parseIp(text as string);
        return other instanceof CelError ? other : containsIp(cidr(value), other);
      },
    ],
    cidr_contains_ip_ip: ["cidr.(ip) bool", (value, other) => containsIp(cidr(value), ip(other))],
  },
  containsCIDR: {
    cidr_contains_cidr_string: [
      "cidr.(string) bool",
      (value, text) => {
        const other = parseCidr(text as string);
        return other instanceof CelError ? other : containsCidr(cidr(value), other);
      },
    ],
    cidr_contains_cidr: [
      "cidr.(cidr) bool",
      (value, other) => containsCidr(cidr(value), cidr(other)),
    ],
  },
  prefixLength: {
    cidr_prefix_length: ["cidr.() int", (value) => BigInt(cidr(value).prefix.length)],
  },
  masked: {
    cidr_masked: [
      "cidr.() cidr",
      (value) => new CidrValue(cidr(value).prefix.first, cidr(value).prefix.length),
    ],
  },
};

function containsIp({ prefix }: CidrValue, { address }: IpValue): boolean {
  return prefix.family === address.family && prefix.contains(address);
}

function containsCidr({ prefix }: CidrValue, other: CidrValue): boolean {
  return prefix.family === other.prefix.family && prefix.contains(other.prefix);
}

function parseIp(text: string): IpValue | CelError {
  if (text.includes("%")) {
    return new CelError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  }
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(text)) {
    return new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  }
  const parsed = parseAddressText(text);
  if ("refused" in parsed) {
    const problem = `IP Address ${JSON.stringify(text)} parse error during conversion from string`;
    return new CelError(`${problem}: ParseAddr(${JSON.stringify(text)}): ${parsed.refused}`);
  }
  return new IpValue(Address.of(parsed.family, parsed.value));
}

function parseCidr(text: string): CidrValue | CelError {
  const refuse = (why: string) =>
    new CelError(`network address parse error during conversion from string: ${why}`);
  const slash = text.lastIndexOf("/");
  const length = text.slice(slash + 1);
  const parsed = parseAddressText(text.slice(0, Math.max(slash, 0)));
  const isNumber = /^(?:0|[1-9]\d{0,2})$/.test(length);
  if (slash < 0 || "refused" in parsed || !isNumber || Number(length) > bitsOf(parsed.family)) {
    return refuse(`netip.ParsePrefix(${JSON.stringify(text)}): it is no CIDR`);
  }
  return new CidrValue(Address.of(parsed.family, parsed.value), Number(length));
}
