import { IpamError } from "./errors.ts";

export const commands = ["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"] as const;

export type Command = (typeof commands)[number];

/** The CNI variables that a runtime passes to a plugin in its environment, parsed. */
export interface Environment {
  readonly command: Command;
  /** The attachment that ADD, DEL and CHECK are about; the other verbs have none. */
  readonly attachment?: Attachment;
  readonly netns?: string;
  /** CNI_ARGS, by key. */
  readonly args: Readonly<Record<string, string>>;
}

/** One interface of one container. */
export interface Attachment {
  readonly containerId: string;
  readonly ifname: string;
}

/** Environment variables, as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

export function parseEnvironment(variables: Variables): Environment {
  const command = parseCommand(variables.CNI_COMMAND);
  const args = parseArgs(variables.CNI_ARGS ?? "");
  if (command !== "ADD" && command !== "DEL" && command !== "CHECK") return { command, args };
  const attachment = {
    containerId: parseContainerId(required(variables, "CNI_CONTAINERID")),
    ifname: parseInterfaceName(required(variables, "CNI_IFNAME")),
  };
  const netns = command === "DEL" ? variables.CNI_NETNS : required(variables, "CNI_NETNS");
  return netns === undefined || netns === ""
    ? { command, attachment, args }
    : { command, attachment, args, netns };
}

function parseCommand(text: string | undefined): Command {
  const command = commands.find((known) => known === text);
  if (command === undefined) {
    throw invalid("CNI_COMMAND", text, `it must be one of ${commands.join(", ")}`);
  }
  return command;
}

function parseContainerId(text: string): string {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(text)) {
    throw invalid("CNI_CONTAINERID", text, "only letters, digits, '_', '.' and '-' are allowed");
  }
  return text;
}

function parseInterfaceName(text: string): string {
  if (text.length > 15 || text === "." || text === ".." || /[/:\s]/.test(text)) {
    throw invalid("CNI_IFNAME", text, "it is no name the kernel takes for an interface");
  }
  return text;
}

function parseArgs(text: string): Record<string, string> {
  const args: Record<string, string> = {};
  for (const pair of text.split(";")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    if (equals <= 0) throw invalid("CNI_ARGS", text, `${JSON.stringify(pair)} is not KEY=VALUE`);
    args[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return args;
}

function required(variables: Variables, name: string): string {
  const value = variables[name];
  if (value === undefined || value === "") throw invalid(name, value, "it must be set");
  return value;
}

function invalid(name: string, value: string | undefined, state: string): IpamError {
  const shown = value === undefined ? "" : ` ${JSON.stringify(value)}`;
  return new IpamError("invalidEnvironment", `Cannot use ${name}${shown}: ${state}`);
}
