// Joining: a machine proves a bootstrap token and brings two keys of its own, one for its client certificate
// and one for its serving certificate. The server decides what the certificates say. A node renews them the
// same way, as itself.
import { dnsSubdomain } from "../../../api/fields/names.ts";
import { Address } from "../../../base/net/address.ts";
import type { User } from "../access.ts";
import { badRequest, forbidden } from "../errors.ts";
import type { Authority } from "./authority.ts";
import { nodeNameOf } from "./node-access.ts";
import { isAlive } from "./node-life.ts";
import { type ServerIdentity, servingNames } from "./node-names.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";

export const joinPath = "/tandem/join";

export interface JoinRequest {
  readonly nodeName: string;
  /** The node's addresses, for its serving certificate. */
  readonly addresses: readonly string[];
  /** The certificate requests, as PEM. */
  readonly clientRequest: string;
  readonly servingRequest: string;
}

export interface JoinAnswer {
  readonly authority: string;
  readonly clientCertificate: string;
  readonly servingCertificate: string;
}

export interface JoiningOptions {
  readonly authority: Authority;
  readonly objects: ObjectReader;
  readonly server: ServerIdentity;
  readonly now: () => Date;
}

export function joining(
  options: JoiningOptions,
): (body: object, user: User) => Promise<JoinAnswer> {
  const { authority, objects, server, now } = options;
  return async (body, user) => {
    const { nodeName, addresses, clientRequest, servingRequest } = checked(body);
    const refuse = (why: string) => forbidden({ group: "", name: "nodes" }, nodeName, why);
    const isItself = nodeNameOf(user) === nodeName;
    if (!user.groups.includes("system:bootstrappers") && !isItself) {
      throw refuse("only a bootstrap token, or the node itself, may ask for a node's certificates");
    }
    await objects.current();
    const node = objects.get("nodes", "", nodeName);
    if (!isItself && node !== undefined && isAlive(node, objects, now())) {
      throw refuse("there is a node of this name, and it is alive");
    }
    const foreign = isItself ? notItsOwn(node, addresses) : undefined;
    if (foreign !== undefined) throw refuse(`its Node object does not have the address ${foreign}`);
    const wanted = { dnsNames: [nodeName], addresses };
    const { names, refusal } = servingNames({ nodeName, wanted }, { objects, server });
    if (refusal !== undefined) throw refuse(refusal);
    const subject = { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] };
    return {
      authority: authority.certificate,
      clientCertificate: await sign("clientRequest", authority.signClient(clientRequest, subject)),
      servingCertificate: await sign(
        "servingRequest",
        authority.signServer(servingRequest, subject, names),
      ),
    };
  };
}

/** Returns a requested address that the Node object does not have. */
function notItsOwn(
  node: SecurityObject | undefined,
  addresses: readonly string[],
): string | undefined {
  const { status } = (node ?? {}) as { status?: { addresses?: readonly { address: string }[] } };
  if (status?.addresses === undefined) return undefined;
  const own = status.addresses.map(({ address }) => Address.tryParse(address)?.toString());
  return addresses.find((address) => !own.includes(address));
}

function checked(body: object): JoinRequest {
  const { nodeName, addresses, clientRequest, servingRequest } = body as Partial<
    Record<keyof JoinRequest, unknown>
  >;
  if (typeof nodeName !== "string" || dnsSubdomain(nodeName).length > 0) {
    throw badRequest(
      `nodeName: Invalid value: ${JSON.stringify(nodeName)}: must be a DNS subdomain`,
    );
  }
  if (!Array.isArray(addresses)) throw badRequest("addresses: Required value");
  const parsed = (addresses as unknown[]).map((text, index) => {
    const address = typeof text === "string" ? Address.tryParse(text) : undefined;
    if (address !== undefined) return address.toString();
    throw badRequest(
      `addresses[${index}]: Invalid value: ${JSON.stringify(text)}: must be an IP address`,
    );
  });
  if (typeof clientRequest !== "string") throw badRequest("clientRequest: Required value");
  if (typeof servingRequest !== "string") throw badRequest("servingRequest: Required value");
  return { nodeName, addresses: parsed, clientRequest, servingRequest };
}

async function sign(field: string, signed: Promise<string>): Promise<string> {
  try {
    return await signed;
  } catch (error) {
    throw badRequest(`${field}: Invalid value: must be a signed PKCS #10 request in PEM`, error);
  }
}
