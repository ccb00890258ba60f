import { compareText } from "../../../base/json/value.ts";

/**
 * Returns a key that is equal for the same ports in any order: such endpoints may share a subset or a slice.
 */
export function portsKey(
  ports: readonly {
    readonly name?: string;
    readonly protocol?: string;
    readonly port?: number;
    readonly appProtocol?: string;
  }[],
): string {
  const texts = ports.map(({ name = "", protocol = "TCP", port, appProtocol }) =>
    JSON.stringify([name, protocol, port ?? null, appProtocol ?? null]),
  );
  return texts.toSorted(compareText).join();
}
