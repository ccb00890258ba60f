// The frames that tell a LAN where an address is now: a gratuitous ARP request, or an unsolicited
// neighbour advertisement.

import type { Address } from "../../../base/net/address.ts";

export function announcementFrame(address: Address, mac: string): Uint8Array {
  const own = Buffer.from(mac.replaceAll(":", ""), "hex");
  return address.family === "IPv4" ? arpFrame(address, own) : advertisementFrame(address, own);
}

const everybody = Buffer.alloc(6, 0xff);
const allNodesMac = Buffer.from("333300000001", "hex");
const allNodes = Buffer.from("ff020000000000000000000000000001", "hex");

function arpFrame(address: Address, mac: Buffer): Uint8Array {
  const own = bytesOf(address);
  // Ethernet and IPv4, their lengths, operation "request"; sender and target are the same address.
  const head = Buffer.from("0001080006040001", "hex");
  const type = Buffer.from("0806", "hex");
  return Buffer.concat([everybody, mac, type, head, mac, own, Buffer.alloc(6), own]);
}

const icmp = 58;

function advertisementFrame(address: Address, mac: Buffer): Uint8Array {
  const own = bytesOf(address);
  // Type 136, a checksum, and the override flag, so that neighbours replace their entry.
  const head = Buffer.from("8800000020000000", "hex");
  const targetHardware = Buffer.concat([Buffer.from("0201", "hex"), mac]);
  const message = Buffer.concat([head, own, targetHardware]);
  const pseudoHeader = Buffer.concat([
    own,
    allNodes,
    Buffer.from([0, 0, 0, message.length, 0, 0, 0, icmp]),
  ]);
  message.writeUInt16BE(checksum(Buffer.concat([pseudoHeader, message])), 2);
  const packet = Buffer.from([0x60, 0, 0, 0, 0, message.length, icmp, 255]);
  const type = Buffer.from("86dd", "hex");
  return Buffer.concat([allNodesMac, mac, type, packet, own, allNodes, message]);
}

function bytesOf({ family, value }: Address): Buffer {
  const digits = family === "IPv4" ? 8 : 32;
  return Buffer.from(value.toString(16).padStart(digits, "0"), "hex");
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let n = 0; n < bytes.length; n += 2) sum += bytes.readUInt16BE(n);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
