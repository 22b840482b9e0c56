/**
 * Every figure of `/metrics`: name, what it says, labels. The names are stable: dashboards and
 * alarms of operators hang on them.
 */

/** One figure. */
export interface MetricRow {
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

const GROUP = ["group"];

/** Values that go up and down, read when they are asked for. */
export const GAUGES = {
  chain_node_info: {
    help: "1; what runs here is in the labels",
    labels: ["version", "supported_version", "chain_id", "node_id", "node", "agency"],
  },
  chain_node_ready: { help: "1 when /readyz answers 200" },
  chain_node_writable: { help: "1 when /readyz?writes answers 200" },
  chain_node_start_time_seconds: { help: "When the process started, since 1970" },
  chain_node_group_running: { help: "1 when the group runs", labels: GROUP },
  chain_node_groups: { help: "Groups that have files here, by status", labels: ["status"] },
  chain_node_block_height: { help: "Number of the newest block", labels: GROUP },
  chain_node_highest_block: { help: "Highest block that peers believably have", labels: GROUP },
  chain_node_sync_lag_blocks: { help: "Blocks that this node is behind", labels: GROUP },
  chain_node_syncing: { help: "1 while blocks are downloaded", labels: GROUP },
  chain_node_view: { help: "PBFT view, or Raft term", labels: GROUP },
  chain_node_wanted_view: { help: "PBFT: the view that this node wants", labels: GROUP },
  chain_node_sealing: { help: "1 when this node is a sealer of the group", labels: GROUP },
  chain_node_silent: {
    help: "1 while this sealer follows without a vote: its data may be older than its votes",
    labels: GROUP,
  },
  chain_node_sealers: { help: "Sealers of the group", labels: GROUP },
  chain_node_connected_sealers: {
    help: "Sealers with a session, this node included when it is one",
    labels: GROUP,
  },
  chain_node_voting_sealers: {
    help: "Those of them that do not say that they do not vote",
    labels: GROUP,
  },
  chain_node_sealer_vote: {
    help: "1; what this node knows of a sealer is in `state`: votes, missing, or why it does not",
    labels: ["group", "sealer", "state"],
  },
  chain_node_quorum: { help: "This many sealers decide", labels: GROUP },
  chain_node_stalled_seconds: {
    help: "For how long the group has not been able to write blocks; 0 while it can",
    labels: GROUP,
  },
  chain_node_other_genesis_peers: {
    help: "Connected nodes whose group has another genesis block",
    labels: GROUP,
  },
  chain_node_group_peers: { help: "Members of the group with a session", labels: GROUP },
  chain_node_pending_transactions: { help: "Transactions in the pool", labels: GROUP },
  chain_node_last_block_timestamp_seconds: {
    help: "Time of the newest block written since the start, since 1970",
    labels: GROUP,
  },
  chain_node_store_pass_bytes: {
    help: "What the look through the ledger that is under way has compared with its checksums",
    labels: GROUP,
  },
  chain_node_store_pass_end_time_seconds: {
    help: "When the ledger was last gone through as a whole, since 1970",
    labels: GROUP,
  },
  chain_node_block_time_ahead_seconds: {
    help: "Time of the newest block less this node's clock: below 0 is a block of the past",
    labels: GROUP,
  },
  chain_node_peers: { help: "Connected peers" },
  chain_node_configured_peers: { help: "Configured peer addresses but the own one" },
  chain_node_peer_rtt_seconds: { help: "Round trip to a peer", labels: ["peer", "node"] },
  chain_node_peer_clock_skew_seconds: {
    help: "How far the clock of a peer is ahead",
    labels: ["peer", "node"],
  },
  chain_node_clock_skew_seconds: {
    help: "Median of how far the clocks of peers are ahead; far from 0, the own one is wrong",
  },
  chain_node_channel_sessions: { help: "Connected SDKs" },
  chain_node_channel_held_bytes: {
    help: "Bytes of SDK frames in memory: not yet worked on, or not yet read by the client",
  },
  chain_node_channel_event_filters: { help: "Event filters of SDKs" },
  chain_node_channel_topics: { help: "Topics that SDKs of this node listen to (AMOP)" },
  chain_node_websocket_connections: { help: "Open WebSockets at the RPC port" },
  chain_node_websocket_subscriptions: { help: "Their subscriptions" },
  chain_node_longest_turn_seconds: {
    help: "Longest time that the main thread worked at a stretch in the last minute",
  },
  chain_node_memory_bytes: { help: "Memory of the process", labels: ["kind"] },
  chain_node_disk_free_bytes: { help: "Free space where the ledgers are" },
  chain_node_disk_free_inodes: { help: "Free inodes where the ledgers are" },
  chain_node_certificate_days_left: { help: "Days until a certificate of this node ends" },
} as const satisfies Readonly<Record<string, MetricRow>>;

const CLASS = ["class"];
const REASON = ["reason"];

/** Values that only grow while the process lives, read when they are asked for. */
export const COUNTERS = {
  chain_node_long_turns_total: {
    help: "Times that the main thread worked for 50 ms or more at a stretch",
  },
  chain_node_view_timeouts_total: {
    help: "PBFT views that nothing came of in time although there was work",
    labels: GROUP,
  },
  chain_node_transactions_total: { help: "Transactions in the ledger", labels: GROUP },
  chain_node_store_passes_total: {
    help: "Times that the ledger was gone through as a whole since the group started",
    labels: GROUP,
  },
  chain_node_failed_transactions_total: { help: "Those that failed", labels: GROUP },
  chain_node_heavy_transactions_total: {
    help: "Transactions that ran for more than 500 ms, and are packed alone",
    labels: GROUP,
  },
  chain_node_servings_held_back_total: {
    help: "Times that a peer waited for blocks because it had been served its share",
    labels: GROUP,
  },
  chain_node_p2p_messages_total: {
    help: "Messages by direction (in, out) and class",
    labels: ["direction", "class"],
  },
  chain_node_p2p_message_bytes_total: {
    help: "Their bytes before compression",
    labels: ["direction", "class"],
  },
  chain_node_p2p_bytes_total: { help: "Bytes on the wire", labels: ["direction"] },
  chain_node_p2p_dropped_messages_total: {
    help: "Messages dropped at a full queue on the way out",
    labels: CLASS,
  },
  chain_node_p2p_rejected_frames_total: { help: "Frames of peers dropped", labels: REASON },
  chain_node_p2p_refused_connections_total: { help: "Connections refused", labels: REASON },
  chain_node_p2p_ended_sessions_total: { help: "Sessions and dials that ended", labels: REASON },
  chain_node_p2p_dials_total: { help: "Attempts to connect" },
  chain_node_p2p_failed_dials_total: { help: "Those that failed" },
  chain_node_channel_opened_sessions_total: { help: "SDKs that were connected" },
  chain_node_channel_refused_sessions_total: { help: "SDKs refused: there were too many" },
  chain_node_channel_ended_sessions_total: { help: "Sessions of SDKs that ended", labels: REASON },
  chain_node_channel_frames_total: {
    help: "Frames of SDKs by direction (in, out)",
    labels: ["direction"],
  },
  chain_node_channel_bytes_total: { help: "Their bytes", labels: ["direction"] },
  chain_node_channel_amop_messages_total: {
    help: "Messages about topics (AMOP), by who sent them here: client or node",
    labels: ["from"],
  },
  chain_node_websocket_opened_connections_total: { help: "WebSockets that were opened" },
  chain_node_websocket_refused_connections_total: {
    help: "WebSockets refused at the handshake: too many, a foreign page, another path",
  },
  chain_node_cpu_seconds_total: { help: "CPU time of the process", labels: ["mode"] },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** Counted when it happens. */
export const EVENTS = {
  chain_node_rpc_errors_total: {
    help: "Error answers by method and code",
    labels: ["method", "code"],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** Fed when it happens: once per call, per block, per look at the event loop, per vote on disk. */
export const HISTOGRAMS = {
  chain_node_event_loop_delay_seconds: {
    help: "By how much a timer of the main thread came late, a hundred times a second",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  chain_node_disk_sync_seconds: {
    help: "Until what the node must not forget, such as a vote, was on the disk",
    labels: GROUP,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  chain_node_rpc_duration_seconds: {
    help: "Time of a call, by method",
    labels: ["method"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  chain_node_block_interval_seconds: {
    help: "Time between a block and the one before it",
    labels: GROUP,
    buckets: [0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30, 60],
  },
  chain_node_block_delay_seconds: {
    help: "From the time in the header of a block to its end on this node's disk",
    labels: GROUP,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  chain_node_block_transactions: {
    help: "Transactions of a block",
    labels: GROUP,
    buckets: [0, 1, 10, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** Name of a gauge. */
export type GaugeName = keyof typeof GAUGES;
/** Name of a counter that is read. */
export type CounterName = keyof typeof COUNTERS;
/** Name of a histogram. */
export type HistogramName = keyof typeof HISTOGRAMS;
