// The filter of a list or watch: namespace, label selector and field selector.
import { isSelectorError } from "../../../api/selectors/error.ts";
import { type FieldFilter, parseFieldSelector } from "../../../api/selectors/field-selector.ts";
import { parseLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { Item } from "../cache/item.ts";
import type { SubscriberKey } from "../cache/keyed-subscribers.ts";
import { badRequest } from "../errors.ts";
import type { ResourceRequest } from "../request-info.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Filter } from "../watch/group.ts";

export interface ListFilter extends Filter {
  /** Says that there are no selectors, so that everything in the namespace matches. */
  readonly isEverything: boolean;
  /** The name that a field selector requires, if it does. */
  readonly name: string | undefined;
}

export function filterOf(
  target: ResourceRequest,
  query: URLSearchParams,
  resource: ServedResource,
): ListFilter {
  const namespace = resource.namespaced ? target.namespace : undefined;
  const labels = guard(() => parseLabelSelector(query.get("labelSelector") ?? ""));
  const fields = guard(() => fieldFilter(query.get("fieldSelector") ?? "", resource));
  const hasLabels = labels.requirements.length > 0;
  const hasFields = fields.requirements.length > 0;
  return {
    id: JSON.stringify([namespace, labels.text, fields.text]),
    isEverything: !hasLabels && !hasFields,
    name: fields.exact("metadata.name"),
    key: keyOf(fields, resource),
    matches: (item) =>
      (namespace === undefined || item.namespace === namespace) &&
      (!hasFields || fields.matches({ metadata: item })) &&
      (!hasLabels || labels.matchesLabels(item.selectable(resource.selectable).labels)),
  };
}

/** Returns the value that the selector requires of a field, if it does, and if items tell theirs at once. */
function keyOf(fields: FieldFilter<Named>, resource: ServedResource): SubscriberKey | undefined {
  const { conversion, selectable, apiVersion, edition } = resource;
  const name = fields.exact("metadata.name");
  if (name !== undefined) {
    return { field: "metadata.name", value: name, valuesOf: (item) => item.name };
  }
  const wanted = fields.requirements.find(
    ({ field, operator }) => operator === "=" && field !== "metadata.namespace",
  );
  if (wanted === undefined || conversion?.prepare !== undefined) return undefined;
  const { field, value } = wanted;
  const valuesOf = (item: Item) => item.selectable(selectable).fields[field] ?? "";
  return { field: `${apiVersion} ${edition} ${field}`, value, valuesOf };
}

/** An item as field selectors see it: its name and namespace are known without parsing it. */
interface Named {
  readonly metadata: Item;
}

function fieldFilter(text: string, { rules, selectable }: ServedResource): FieldFilter<Named> {
  return parseFieldSelector<Named>(text, {
    selectableFields: rules.selectableFields ?? [],
    selectableField: ({ metadata: item }, field) => item.selectable(selectable).fields[field] ?? "",
  });
}

function guard<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (isSelectorError(error)) throw badRequest(error.message, error);
    throw error;
  }
}
