// The type table of apiextensions.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const apiextensions = `
CustomResourceColumnDefinition
  name!       1 string
  type!       2 string
  format      3 string
  description 4 string
  priority    5 int32
  jsonPath!   6 string

CustomResourceConversion
  strategy! 1 string
  webhook   2 *WebhookConversion

CustomResourceDefinition kind # Adds a kind to the API.
  metadata 1 meta.ObjectMeta
  spec!    2 CustomResourceDefinitionSpec
  status   3 CustomResourceDefinitionStatus

CustomResourceDefinitionCondition
  type!              1 string
  status!            2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string
  observedGeneration 6 int64

CustomResourceDefinitionList kind
  metadata 1 meta.ListMeta
  items!   2 [CustomResourceDefinition]

CustomResourceDefinitionNames
  plural!    1 string
  singular   2 string
  shortNames 3 [string] atomic
  kind!      4 string
  listKind   5 string
  categories 6 [string] atomic

CustomResourceDefinitionSpec
  group!                 1 string
  names!                 3 CustomResourceDefinitionNames
  scope!                 4 string                            enum(Cluster|Namespaced) present
  versions!              7 [CustomResourceDefinitionVersion] atomic
  conversion             9 *CustomResourceConversion
  preserveUnknownFields 10 boolean

CustomResourceDefinitionStatus
  conditions         1 [CustomResourceDefinitionCondition] map(type)
  acceptedNames      2 CustomResourceDefinitionNames
  storedVersions     3 [string]                            atomic
  observedGeneration 4 int64

CustomResourceDefinitionVersion
  name!                    1 string
  served!                  2 boolean
  storage!                 3 boolean
  deprecated               7 boolean
  deprecationWarning       8 *string
  schema                   4 *CustomResourceValidation
  subresources             5 *CustomResourceSubresources
  additionalPrinterColumns 6 [CustomResourceColumnDefinition] atomic
  selectableFields         9 [SelectableField]                atomic

CustomResourceSubresourceScale
  specReplicasPath!   1 string
  statusReplicasPath! 2 string
  labelSelectorPath   3 *string

CustomResourceSubresourceStatus

CustomResourceSubresources
  status 1 *CustomResourceSubresourceStatus
  scale  2 *CustomResourceSubresourceScale

CustomResourceValidation
  openAPIV3Schema 1 *JSONSchemaProps

ExternalDocumentation
  description 1 string
  url         2 string

JSONSchemaProps
  id                                    1 string
  $schema                               2 string
  $ref                                  3 *string
  description                           4 string
  type                                  5 string
  format                                6 string
  title                                 7 string
  default                               8 *any
  maximum                               9 *double
  exclusiveMaximum                     10 boolean
  minimum                              11 *double
  exclusiveMinimum                     12 boolean
  maxLength                            13 *int64
  minLength                            14 *int64
  pattern                              15 string
  maxItems                             16 *int64
  minItems                             17 *int64
  uniqueItems                          18 boolean
  multipleOf                           19 *double
  enum                                 20 [any]             atomic
  maxProperties                        21 *int64
  minProperties                        22 *int64
  required                             23 [string]          atomic
  items                                24 *JSONSchemaPropsOrArray
  allOf                                25 [JSONSchemaProps] atomic
  oneOf                                26 [JSONSchemaProps] atomic
  anyOf                                27 [JSONSchemaProps] atomic
  not                                  28 *JSONSchemaProps
  properties                           29 {JSONSchemaProps}
  additionalProperties                 30 *JSONSchemaPropsOrBool
  patternProperties                    31 {JSONSchemaProps}
  dependencies                         32 {JSONSchemaPropsOrStringArray}
  additionalItems                      33 *JSONSchemaPropsOrBool
  definitions                          34 {JSONSchemaProps}
  externalDocs                         35 *ExternalDocumentation
  example                              36 *any
  nullable                             37 boolean
  x-kubernetes-preserve-unknown-fields 38 *boolean
  x-kubernetes-embedded-resource       39 boolean
  x-kubernetes-int-or-string           40 boolean
  x-kubernetes-list-map-keys           41 [string]          atomic
  x-kubernetes-list-type               42 *string
  x-kubernetes-map-type                43 *string
  x-kubernetes-validations             44 [ValidationRule]  map(rule) merge(rule)

JSONSchemaPropsOrArray union
  schema  1 *JSONSchemaProps
  schemas 2 [JSONSchemaProps]

JSONSchemaPropsOrBool union
  allows! 1 boolean
  schema  2 *JSONSchemaProps

JSONSchemaPropsOrStringArray union
  schema   1 *JSONSchemaProps
  property 2 [string]

SelectableField
  jsonPath! 1 string

ServiceReference
  namespace! 1 string
  name!      2 string
  path       3 *string
  port       4 *int32

ValidationRule
  rule!             1 string
  message           2 string
  messageExpression 3 string
  reason            4 *string
  fieldPath         5 string
  optionalOldSelf   6 *boolean

WebhookClientConfig
  url      3 *string
  service  1 *ServiceReference
  caBundle 2 bytes

WebhookConversion
  clientConfig              2 *WebhookClientConfig
  conversionReviewVersions! 3 [string] atomic
`;
