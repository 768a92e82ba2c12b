/** Whether the requests to a server carry trace context (W3C `traceparent`). Nobody's do until the person says so. */
export const traceIds = /* sql */ `
ALTER TABLE client_features ADD COLUMN sends_trace_ids INTEGER NOT NULL DEFAULT 0;
`;
