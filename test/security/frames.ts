// Ethernet frames as a hostile pod makes them, byte by byte.
import { Address } from "../../src/base/net/address.ts";

export interface Frame {
  readonly from: string;
  /** The MAC address of the receiver; all of them when not given. */
  readonly to?: string;
  readonly type: number;
  readonly content: Buffer;
}

const everybody = "ff:ff:ff:ff:ff:ff";
const ipv4 = 0x0800;
const ipv6 = 0x86dd;

export function frameBytes({ from, to = everybody, type, content }: Frame): Buffer {
  const head = Buffer.concat([macBytes(to), macBytes(from), Buffer.of(type >> 8, type & 255)]);
  const whole = Buffer.concat([head, content]);
  return Buffer.concat([whole, Buffer.alloc(Math.max(0, 60 - whole.length))]);
}

/** Returns the frame with the tag of VLAN 0, which hosts take for none. */
export function tagged({ type, content, ...frame }: Frame): Frame {
  const tag = Buffer.of(0, 0, type >> 8, type & 255);
  return { ...frame, type: 0x8100, content: Buffer.concat([tag, content]) };
}

/** ARP: an answer that nobody asked for, by which hosts learn who has an address. The mark is its padding. */
export function arpReply(claim: {
  from: string;
  mac: string;
  address: string;
  mark: string;
}): Frame {
  const { from, mac, address, mark } = claim;
  const start = Buffer.of(0, 1, 8, 0, 6, 4, 0, 2);
  const own = [macBytes(mac), addressBytes(address)];
  const content = Buffer.concat([start, ...own, ...own, Buffer.from(mark)]);
  return { from, type: 0x0806, content };
}

/** A UDP datagram of either family; its checksum is left out, or wrong, which no hop minds. */
export function datagram(packet: {
  from: string;
  source: string;
  target: string;
  port?: number;
  mark: string;
}): Frame {
  const { from, source, target, port = 4000, mark } = packet;
  const payload = Buffer.from(mark);
  const head = Buffer.alloc(8);
  head.writeUInt16BE(port, 0);
  head.writeUInt16BE(4001, 2);
  head.writeUInt16BE(8 + payload.length, 4);
  return packetOf({ from, source, target, protocol: 17, body: Buffer.concat([head, payload]) });
}

/** A message of ICMPv6 with a target (advertisements, redirects) and the mark as an unknown option. */
export function neighbourMessage(message: {
  from: string;
  source: string;
  type: "advertisement" | "router advertisement" | "redirect";
  target: string;
  mark: string;
}): Frame {
  const { from, source, type, target, mark } = message;
  const number = { advertisement: 136, "router advertisement": 134, redirect: 137 }[type];
  const option = Buffer.concat([Buffer.of(253, 3), Buffer.from(mark.padEnd(22))]);
  const body = Buffer.concat([Buffer.of(number, 0, 0, 0, 0x20, 0, 0, 0), addressBytes(target)]);
  return packetOf({
    from,
    source,
    target: "ff02::1",
    protocol: 58,
    body: Buffer.concat([body, option]),
  });
}

function packetOf(packet: {
  from: string;
  source: string;
  target: string;
  protocol: number;
  body: Buffer;
}): Frame {
  const { from, source, target, protocol, body } = packet;
  const addresses = Buffer.concat([addressBytes(source), addressBytes(target)]);
  if (Address.parse(source).family === "IPv6") {
    const head = Buffer.alloc(8);
    head[0] = 0x60;
    head.writeUInt16BE(body.length, 4);
    head[6] = protocol;
    head[7] = 255;
    return { from, type: ipv6, content: Buffer.concat([head, addresses, body]) };
  }
  const head = Buffer.alloc(12);
  head[0] = 0x45;
  head.writeUInt16BE(20 + body.length, 2);
  head[8] = 64;
  head[9] = protocol;
  const all = Buffer.concat([head, addresses]);
  all.writeUInt16BE(checksum(all), 10);
  return { from, type: ipv4, content: Buffer.concat([all, body]) };
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

function macBytes(mac: string): Buffer {
  return Buffer.from(mac.replaceAll(":", ""), "hex");
}

function addressBytes(text: string): Buffer {
  const { family, value } = Address.parse(text);
  return Buffer.from(value.toString(16).padStart(family === "IPv4" ? 8 : 32, "0"), "hex");
}
