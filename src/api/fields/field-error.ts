/** An error in one field; becomes a cause in the Status body. */
export interface FieldError {
  readonly type:
    | "FieldValueRequired"
    | "FieldValueInvalid"
    | "FieldValueDuplicate"
    | "FieldValueNotSupported"
    | "FieldValueForbidden"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "FieldValueNotFound";
  /** The path of the field: `spec.ports[0].port`. */
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}
