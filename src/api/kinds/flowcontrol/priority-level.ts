import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../fields/field-errors.ts";
import type {
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from "../../types/flowcontrol.ts";
import { oneOf } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

const usual = { queues: 64, handSize: 8, queueLengthLimit: 50 };
const mostQueues = 10_000_000;
/** The number of hash bits that a hand is dealt from. */
const handBits = 60;

export const priorityLevel: Kind<PriorityLevelConfiguration> =
  specAndStatus<PriorityLevelConfiguration>({
    default(object) {
      const spec = (object.spec ??= { type: "" });
      if (spec.type === "Exempt") {
        spec.exempt ??= { nominalConcurrencyShares: 0, lendablePercent: 0 };
      }
      const queuing = spec.limited?.limitResponse?.queuing;
      if (queuing === undefined) return;
      queuing.queues ??= usual.queues;
      queuing.handSize ??= usual.handSize;
      queuing.queueLengthLimit ??= usual.queueLengthLimit;
    },
    initialStatus: () => ({}),
    validate: ({ spec }) => specErrors(spec),
    table: table<PriorityLevelConfiguration>([
      nameColumn,
      text("Type", ({ spec }) => spec?.type),
      text("NominalConcurrencyShares", ({ spec }) =>
        number(spec?.limited?.nominalConcurrencyShares),
      ),
      text("Queues", ({ spec }) => number(spec?.limited?.limitResponse?.queuing?.queues)),
      text("HandSize", ({ spec }) => number(spec?.limited?.limitResponse?.queuing?.handSize)),
      text("QueueLengthLimit", ({ spec }) =>
        number(spec?.limited?.limitResponse?.queuing?.queueLengthLimit),
      ),
      ageColumn,
    ]),
  });

function number(value: number | undefined): string {
  return value === undefined ? "<none>" : String(value);
}

function specErrors({ type, limited, exempt }: PriorityLevelConfiguration["spec"]): FieldError[] {
  const errors = oneOf("spec.type", type, ["Exempt", "Limited"]);
  if (errors.length > 0) return errors;
  if (type === "Exempt") {
    const detail = "must be nil if the type is not Limited";
    return limited === undefined ? [] : [forbidden("spec.limited", detail)];
  }
  const path = "spec.limited";
  if (exempt !== undefined) return [forbidden("spec.exempt", "must be nil if the type is Limited")];
  if (limited === undefined) return [required(path, "must not be empty when type is Limited")];
  return responseErrors(`${path}.limitResponse`, limited.limitResponse);
}

function responseErrors(path: string, response: LimitResponse | undefined): FieldError[] {
  const errors = oneOf(`${path}.type`, response?.type, ["Queue", "Reject"]);
  if (errors.length > 0) return errors;
  const { type, queuing } = response as LimitResponse;
  const field = `${path}.queuing`;
  if (type === "Reject") {
    const detail = "must be nil if limited.limitResponse.type is not Limited";
    return queuing === undefined ? [] : [forbidden(field, detail)];
  }
  if (queuing === undefined) {
    return [required(field, "must not be empty if limited.limitResponse.type is Limited")];
  }
  return queuingErrors(field, queuing);
}

function queuingErrors(path: string, queuing: QueuingConfiguration): FieldError[] {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  const errors: FieldError[] = [];
  if (queues < 1) errors.push(invalid(`${path}.queues`, queues, "must be positive"));
  if (queues > mostQueues) {
    errors.push(invalid(`${path}.queues`, queues, `must not be greater than ${mostQueues}`));
  }
  if (handSize < 1) errors.push(invalid(`${path}.handSize`, handSize, "must be positive"));
  if (handSize > queues) {
    const detail = `should not be greater than queues (${queues})`;
    errors.push(invalid(`${path}.handSize`, handSize, detail));
  } else if (entropy(queues, handSize) > handBits) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${handBits}`;
    errors.push(invalid(`${path}.handSize`, handSize, detail));
  }
  if (queueLengthLimit < 1) {
    errors.push(invalid(`${path}.queueLengthLimit`, queueLengthLimit, "must be positive"));
  }
  return errors;
}

/** Returns the number of bits needed to deal a hand from a deck. */
function entropy(deckSize: number, handSize: number): number {
  let bits = 0;
  for (let card = 0; card < Math.min(handSize, 100); card++) bits += Math.log2(deckSize - card);
  return Math.ceil(bits);
}
