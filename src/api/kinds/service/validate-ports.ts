import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, forbidden, invalid, required } from "../../fields/field-errors.ts";
import type { Service, ServicePort } from "../../types/core.ts";

const portName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const targetName = /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;

export function validatePorts({ spec }: Service): FieldError[] {
  const ports = spec.ports ?? [];
  const seen = { names: new Set<string>(), ports: new Set<string>(), nodePorts: new Set<string>() };
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    const errors = [...nameErrors(port, path, ports.length > 1), ...valueErrors(port, path)];
    if (port.name && isRepeated(seen.names, port.name)) {
      errors.push(duplicate(`${path}.name`, port.name));
    }
    if (isRepeated(seen.ports, `${port.protocol}/${port.port}`)) {
      errors.push(duplicate(path, { port: port.port, protocol: port.protocol }));
    }
    if (port.nodePort) {
      if (isRepeated(seen.nodePorts, `${port.protocol}/${port.nodePort}`)) {
        errors.push(duplicate(`${path}.nodePort`, port.nodePort));
      }
      if (spec.type === "ClusterIP") {
        const detail = "may not be used when `type` is 'ClusterIP'";
        errors.push(forbidden(`${path}.nodePort`, detail));
      }
    }
    return errors;
  });
}

function nameErrors(port: ServicePort, path: string, isRequired: boolean): FieldError[] {
  if (!port.name) return isRequired ? [required(`${path}.name`)] : [];
  if (portName.test(port.name)) return [];
  const detail =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [invalid(`${path}.name`, port.name, detail)];
}

function valueErrors(port: ServicePort, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!isPortNumber(port.port)) {
    errors.push(invalid(`${path}.port`, port.port, "must be between 1 and 65535, inclusive"));
  }
  const { targetPort } = port;
  if (typeof targetPort === "number" && !isPortNumber(targetPort)) {
    errors.push(
      invalid(`${path}.targetPort`, targetPort, "must be between 1 and 65535, inclusive"),
    );
  }
  if (typeof targetPort === "string" && !targetName.test(targetPort)) {
    const detail =
      "must be a port name: at most 15 lower case letters, digits and single hyphens, with at least one letter";
    errors.push(invalid(`${path}.targetPort`, targetPort, detail));
  }
  if (port.nodePort !== undefined && port.nodePort !== 0 && !isPortNumber(port.nodePort)) {
    errors.push(
      invalid(`${path}.nodePort`, port.nodePort, "must be between 1 and 65535, inclusive"),
    );
  }
  return errors;
}

function isPortNumber(value: number | undefined): boolean {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function isRepeated(seen: Set<string>, value: string): boolean {
  if (seen.has(value)) return true;
  seen.add(value);
  return false;
}
