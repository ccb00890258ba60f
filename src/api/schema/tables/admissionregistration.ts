// The type table of admissionregistration.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const admissionregistration = `
ApplyConfiguration
  expression 1 string

AuditAnnotation
  key!             1 string
  valueExpression! 2 string

ExpressionWarning
  fieldRef! 2 string
  warning!  3 string

JSONPatch
  expression 1 string

MatchCondition
  name!       1 string present name(qualifiedName)
  expression! 2 string present

MatchResources atomic
  namespaceSelector    1 *meta.LabelSelector       default({})
  objectSelector       2 *meta.LabelSelector       default({})
  resourceRules        3 [NamedRuleWithOperations] atomic
  excludeResourceRules 4 [NamedRuleWithOperations] atomic
  matchPolicy          7 *string                   enum(Equivalent|Exact) default(Equivalent)

MutatingAdmissionPolicy kind # Expressions that change requests.
  metadata 1 meta.ObjectMeta
  spec     2 MutatingAdmissionPolicySpec default({})

MutatingAdmissionPolicyBinding kind # Where a mutating policy holds, with which parameters.
  metadata 1 meta.ObjectMeta
  spec     2 MutatingAdmissionPolicyBindingSpec default({})

MutatingAdmissionPolicyBindingList kind
  metadata 1 meta.ListMeta
  items!   2 [MutatingAdmissionPolicyBinding]

MutatingAdmissionPolicyBindingSpec
  policyName     1 string present
  paramRef       2 *ParamRef
  matchResources 3 *MatchResources

MutatingAdmissionPolicyList kind
  metadata 1 meta.ListMeta
  items!   2 [MutatingAdmissionPolicy]

MutatingAdmissionPolicySpec
  paramKind          1 *ParamKind
  matchConstraints   2 *MatchResources
  variables          3 [Variable]       atomic
  mutations          4 [Mutation]       atomic
  failurePolicy      5 *string          enum(Fail|Ignore) default(Fail)
  matchConditions    6 [MatchCondition] map(name) merge(name)
  reinvocationPolicy 7 string           enum(IfNeeded|Never) present

MutatingWebhook
  name!                     1 string
  clientConfig!             2 WebhookClientConfig  default({})
  rules                     3 [RuleWithOperations] atomic
  failurePolicy             4 *string              enum(Fail|Ignore) default(Fail)
  matchPolicy               9 *string              enum(Equivalent|Exact) default(Equivalent)
  namespaceSelector         5 *meta.LabelSelector  default({})
  objectSelector           11 *meta.LabelSelector  default({})
  sideEffects!              6 *string              enum(None|NoneOnDryRun) present
  timeoutSeconds            7 *int32               default(10)
  admissionReviewVersions!  8 [string]             atomic present
  reinvocationPolicy       10 *string              enum(IfNeeded|Never) default(Never)
  matchConditions          12 [MatchCondition]     map(name) merge(name)

MutatingWebhookConfiguration kind # Servers that may change requests.
  metadata 1 meta.ObjectMeta
  webhooks 2 [MutatingWebhook] map(name) merge(name)

MutatingWebhookConfigurationList kind
  metadata 1 meta.ListMeta
  items!   2 [MutatingWebhookConfiguration]

Mutation
  patchType!         2 string enum(ApplyConfiguration|JSONPatch)
  applyConfiguration 3 *ApplyConfiguration
  jsonPatch          4 *JSONPatch

NamedRuleWithOperations atomic
  resourceNames 1 [string] atomic
  ...           2 RuleWithOperations

ParamKind atomic
  apiVersion 1 string
  kind       2 string

ParamRef atomic
  name                    1 string
  namespace               2 string
  selector                3 *meta.LabelSelector
  parameterNotFoundAction 4 *string enum(Allow|Deny)

Rule
  apiGroups   1 [string] atomic
  apiVersions 2 [string] atomic
  resources   3 [string] atomic
  scope       4 *string  enum(*|Cluster|Namespaced) default(*)

RuleWithOperations
  operations 1 [string] atomic enum(*|CONNECT|CREATE|DELETE|UPDATE)
  ...        2 Rule

ServiceReference
  namespace! 1 string present
  name!      2 string present
  path       3 *string
  port       4 *int32 default(443) range(1,65535)

TypeChecking
  expressionWarnings 1 [ExpressionWarning] atomic

ValidatingAdmissionPolicy kind # Expressions that requests must satisfy.
  metadata 1 meta.ObjectMeta
  spec     2 ValidatingAdmissionPolicySpec default({})
  status   3 ValidatingAdmissionPolicyStatus

ValidatingAdmissionPolicyBinding kind # Where a validating policy holds, with which parameters.
  metadata 1 meta.ObjectMeta
  spec!    2 ValidatingAdmissionPolicyBindingSpec default({})

ValidatingAdmissionPolicyBindingList kind
  metadata 1 meta.ListMeta
  items!   2 [ValidatingAdmissionPolicyBinding]

ValidatingAdmissionPolicyBindingSpec
  policyName!        1 string   present
  paramRef           2 *ParamRef
  matchResources     3 *MatchResources
  validationActions! 4 [string] set enum(Audit|Deny|Warn)

ValidatingAdmissionPolicyList kind
  metadata 1 meta.ListMeta
  items!   2 [ValidatingAdmissionPolicy]

ValidatingAdmissionPolicySpec
  paramKind        1 *ParamKind
  matchConstraints 2 *MatchResources
  validations      3 [Validation]      atomic
  failurePolicy    4 *string           enum(Fail|Ignore) default(Fail)
  auditAnnotations 5 [AuditAnnotation] atomic
  matchConditions  6 [MatchCondition]  map(name) merge(name)
  variables        7 [Variable]        map(name) merge(name)

ValidatingAdmissionPolicyStatus
  observedGeneration 1 int64
  typeChecking       2 *TypeChecking
  conditions         3 [meta.Condition] map(type)

ValidatingWebhook
  name!                     1 string
  clientConfig!             2 WebhookClientConfig  default({})
  rules                     3 [RuleWithOperations] atomic
  failurePolicy             4 *string              enum(Fail|Ignore) default(Fail)
  matchPolicy               9 *string              enum(Equivalent|Exact) default(Equivalent)
  namespaceSelector         5 *meta.LabelSelector  default({})
  objectSelector           10 *meta.LabelSelector  default({})
  sideEffects!              6 *string              enum(None|NoneOnDryRun) present
  timeoutSeconds            7 *int32               default(10)
  admissionReviewVersions!  8 [string]             atomic present
  matchConditions          11 [MatchCondition]     map(name) merge(name)

ValidatingWebhookConfiguration kind # Servers that may refuse requests.
  metadata 1 meta.ObjectMeta
  webhooks 2 [ValidatingWebhook] map(name) merge(name)

ValidatingWebhookConfigurationList kind
  metadata 1 meta.ListMeta
  items!   2 [ValidatingWebhookConfiguration]

Validation
  expression!       1 string
  message           2 string
  reason            3 *string
  messageExpression 4 string

Variable atomic
  name!       1 string
  expression! 2 string

WebhookClientConfig
  url      3 *string
  service  1 *ServiceReference
  caBundle 2 bytes
`;
