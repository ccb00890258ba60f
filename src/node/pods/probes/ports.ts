import type { Container, EphemeralContainer } from "../../../api/types/core.ts";

/** Resolves a port given by number, or by the name it has in the container's spec. */
export function portNumber(
  port: number | string,
  { name, ports = [] }: Container | EphemeralContainer,
): number {
  const number = typeof port === "number" ? port : Number(port);
  if (Number.isInteger(number)) return number;
  const found = ports.find((each) => each.name === port);
  if (found !== undefined) return found.containerPort;
  const state = `container ${JSON.stringify(name)} has no port of that name`;
  throw new Error(`Cannot reach port ${JSON.stringify(port)}: ${state}`);
}
