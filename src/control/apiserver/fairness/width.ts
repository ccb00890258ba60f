// The width of a request: the number of seats it takes, by the work it causes.
import type { Core } from "../core.ts";
import type { HttpRequest } from "../http/message.ts";
import type { RequestInfo } from "../request-info.ts";

const mostSeats = 10;
const bytesPerSeat = 256 * 1024;
const objectsPerSeat = 1000;

export function seatsOf(
  core: Core,
  request: HttpRequest,
  { resource, query }: RequestInfo,
): number {
  if (resource === undefined) return 1;
  if (resource.verb === "list" || resource.verb === "deletecollection") {
    const served = core.catalogue.find(resource.group, resource.version, resource.resource);
    const size = served === undefined ? 0 : core.cache.collection(served.collection).size;
    const wanted = Number(query.get("limit")) || size;
    return seats(Math.min(size, wanted) / objectsPerSeat);
  }
  return seats(Number(request.headers["content-length"] ?? 0) / bytesPerSeat);
}

function seats(amount: number): number {
  return Math.min(mostSeats, 1 + Math.floor(Number.isFinite(amount) ? amount : 0));
}
