// The numbers of the DNS protocol, by the names that RFC 1035 and its successors give them.

export const types = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DNAME: 39,
  OPT: 41,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

export const classes = { IN: 1 } as const;

export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;

export const flags = {
  response: 0x8000,
  opcode: 0x7800,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
  authenticData: 0x0020,
  checkingDisabled: 0x0010,
  rcode: 0x000f,
} as const;

const typeNames = new Map<number, string>(
  Object.entries(types).map(([name, code]) => [code, name]),
);
const rcodeNames = new Map<number, string>(
  Object.entries(rcodes).map(([name, code]) => [code, name]),
);

/** The name of a type: `AAAA`, or `TYPE65` (RFC 3597) for those without a name here. */
export function typeName(type: number): string {
  return typeNames.get(type) ?? `TYPE${type}`;
}

export function rcodeName(rcode: number): string {
  return rcodeNames.get(rcode) ?? `RCODE${rcode}`;
}
