import { compareText } from "../../../base/json/value.ts";

/** Equal for the same ports in any order: what may share a subset or a slice. */
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
