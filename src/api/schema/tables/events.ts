// The type table of events.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const events = `
Event kind # Something that happened to an object, in the newer form.
  metadata                  1 meta.ObjectMeta
  eventTime!                2 microTime
  series                    3 *EventSeries
  reportingController       4 string
  reportingInstance         5 string
  action                    6 string
  reason                    7 string
  regarding                 8 core.ObjectReference
  related                   9 *core.ObjectReference
  note                     10 string
  type                     11 string
  deprecatedSource         12 core.EventSource
  deprecatedFirstTimestamp 13 time
  deprecatedLastTimestamp  14 time
  deprecatedCount          15 int32

EventList kind
  metadata 1 meta.ListMeta
  items!   2 [Event]

EventSeries
  count!            1 int32
  lastObservedTime! 2 microTime
`;
