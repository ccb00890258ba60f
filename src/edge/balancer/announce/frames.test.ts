import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../../base/net/address.ts";
import { announcementFrame } from "./frames.ts";

const mac = "02:00:5e:10:00:01";

function frame(address: string): string {
  return Buffer.from(announcementFrame(Address.parse(address), mac)).toString("hex");
}

test("an IPv4 address is announced by an ARP request for itself", () => {
  assert.equal(
    frame("192.0.2.10"),
    "ffffffffffff" + // to everybody
      "02005e100001" + // from us
      "0806" + // ARP
      "0001080006040001" + // Ethernet, IPv4, a request
      "02005e100001c000020a" + // we have 192.0.2.10
      "000000000000c000020a", // who has it?
  );
});

test("an IPv6 address is announced by an unsolicited advertisement", () => {
  const own = "20010db8000000000000000000000010";
  const allNodes = "ff020000000000000000000000000001";
  assert.equal(
    frame("2001:db8::10"),
    `33330000000102005e10000186dd6000000000203aff${own}${allNodes}` +
      `8800${checksumOf(own, allNodes)}20000000${own}020102005e100001`,
  );
});

/** The checksum, computed differently from the code: the sum of all words is a multiple of 0xffff. */
function checksumOf(source: string, destination: string): string {
  const message = `8800000020000000${source}020102005e100001`;
  const words = `${source}${destination}000000200000003a${message}`.match(/.{4}/g) ?? [];
  const sum = words.reduce((total, word) => total + BigInt(`0x${word}`), 0n);
  return (0xffffn - (sum % 0xffffn)).toString(16).padStart(4, "0");
}
