// Builds the first packet of an SCTP association, and reads the answer.

/** Returns an INIT chunk behind the common header, with its CRC-32C. */
export function initPacket(ports: {
  readonly source: number;
  readonly destination: number;
}): Buffer {
  const packet = Buffer.alloc(40);
  packet.writeUInt16BE(ports.source, 0);
  packet.writeUInt16BE(ports.destination, 2);
  packet.writeUInt8(chunkTypes.init, 12);
  packet.writeUInt16BE(28, 14);
  packet.writeUInt32BE(1, 16); // Initiate tag.
  packet.writeUInt32BE(65_536, 20); // Receiver window.
  packet.writeUInt16BE(1, 24); // Streams out and in.
  packet.writeUInt16BE(1, 26);
  packet.writeUInt32BE(1, 28); // First sequence number.
  packet.writeUInt16BE(12, 32); // Supported address types: both families.
  packet.writeUInt16BE(8, 34);
  packet.writeUInt16BE(5, 36);
  packet.writeUInt16BE(6, 38);
  packet.writeUInt32LE(checksum(packet), 8);
  return packet;
}

/**
 * Reads the answer from the output of `socat -x`: blocks that begin with `<` were received, in hexadecimal.
 */
export function readSctpAnswer(dump: string): "answered" | "refused" | "silent" {
  const blocks = dump.matchAll(/^< .*\n((?: [0-9a-f ]+\n?)+)/gm);
  for (const [, hex = ""] of blocks) {
    const type = Buffer.from(hex.replaceAll(/\s/g, ""), "hex")[12];
    if (type === chunkTypes.initAnswer) return "answered";
    if (type === chunkTypes.abort) return "refused";
  }
  return "silent";
}

const chunkTypes = { init: 1, initAnswer: 2, abort: 6 } as const;

function checksum(packet: Uint8Array): number {
  let sum = 0xff_ff_ff_ff;
  for (const byte of packet) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82_f6_3b_78 : 0);
  }
  return (sum ^ 0xff_ff_ff_ff) >>> 0;
}
