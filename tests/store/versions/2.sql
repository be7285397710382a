PRAGMA application_id = 1447645775;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE campaign (
	id INTEGER NOT NULL CHECK (id = 1), 
	plan_text TEXT NOT NULL, 
	plan_json TEXT NOT NULL, 
	seed INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	host_json TEXT NOT NULL, 
	versions_json TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "campaign" VALUES(1,'virtometer: 1  # with a comment, an umlaut: ü
','{"virtometer":1,"name":"ledger","question":"Is anything lost?","environments":[{"name":"native","kind":"native","settings":{},"timing":"auto","levels":{},"of":""},{"name":"box","kind":"runc","settings":{"cpus":0.5,"memory":67108864},"timing":"auto","levels":{},"of":""}],"baseline":"native","factors":[],"constraints":[],"design":null,"workloads":[{"name":"w","workload":"disk","op":"random-read","parameters":{"size":4096},"threads":1,"seconds":null,"scheduling":"auto","runs":null,"factors":{},"levels":{},"of":""}],"scenarios":[],"tuning":[],"disk_files":"own","blocks":4,"seconds":1.0,"slice_s":0.012,"long_windows":"first","fresh":"trial","turns":"guests","enter":false,"unavailable":"refuse","seed":null,"control":true,"precision":null,"budget_s":null,"margin":0.05,"verdict":"total","disk_span":536870912,"limits":{"start_s":60.0,"prepare_s":60.0,"run_extra_s":30.0,"answer_s":10.0,"clock_error":0.005},"rules":{"max_steal_share":0.05,"max_swap_pages":0,"min_free_memory_bytes":268435456,"max_stall_share":0.1,"max_foreign_load":0.25,"max_run_delay_share":0.1,"max_frequency_change":0.2,"max_throttling":0,"max_kernel_errors":0,"max_disturbed_share":0.5},"absent":{},"short":null,"shortened":[]}',9223372036854775807,'2026-01-02T03:04:05.678+00:00','{"cpu":"a processor","cpus":2,"memory_bytes":1099511627776,"flags":["fpu","avx"],"cpufreq":null}','{"virtometer":"0.1.0","agent_sha256":"abababababababababababababababababababababababababababababababab"}');
CREATE TABLE commands (
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	argv_json TEXT NOT NULL, 
	status INTEGER, 
	PRIMARY KEY (position)
);
INSERT INTO "commands" VALUES(1,'2026-01-02T03:04:05.000+00:00','check runc','["runc","--version"]',0);
CREATE TABLE entries (
	entry INTEGER NOT NULL, 
	trial INTEGER, 
	guests INTEGER NOT NULL, 
	commands INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	stages INTEGER NOT NULL, 
	tunings INTEGER NOT NULL, 
	PRIMARY KEY (entry), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "entries" VALUES(1,NULL,0,1,'40829ea37857e71c042ee89d6ffe20e18f9c8ba6532b87fe19c0163b6fd17fb7',0,0);
INSERT INTO "entries" VALUES(2,0,1,1,'ffa87f857dd698a2a077244e13c77f464df9ee996c27332e7c321d15f1ab1705',0,0);
INSERT INTO "entries" VALUES(3,1,1,1,'328e572dc4be739c681a962ac40b63d3e17ec9b892e89c963bc13caf0b909676',0,0);
INSERT INTO "entries" VALUES(4,3,2,1,'494abb9806744040cd15968074d591b7f64db466c1601c4a00e606c56aeae64f',0,0);
INSERT INTO "entries" VALUES(5,NULL,2,1,'82b880b55f8e5d53ade350bab8decf5e3b0969700e2113c971a29cafdb1bdb46',1,0);
INSERT INTO "entries" VALUES(6,NULL,2,1,'f681eeea503c8c5f56a3fc81f11fbdf2037228e58ba18e8bc390741546cbfcef',2,0);
INSERT INTO "entries" VALUES(7,NULL,2,1,'5c8e4ae76e17bd280d55e265280c9c800f5964f5b0417beda79e88a6571589fb',2,1);
INSERT INTO "entries" VALUES(8,NULL,2,1,'7a018a798bd77e6eb9fdc28e2dbd64eca0e4141a547d46bde8270b79303e3349',2,2);
CREATE TABLE environments (
	position INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	works BOOLEAN NOT NULL, 
	reason TEXT NOT NULL, 
	advice TEXT NOT NULL, 
	capabilities_json TEXT NOT NULL, 
	PRIMARY KEY (position)
);
INSERT INTO "environments" VALUES(0,'native','native',1,'','','{"disk":true,"settings":[]}');
INSERT INTO "environments" VALUES(1,'box','runc',0,'runc is not installed','install runc','{}');
CREATE TABLE guests (
	position INTEGER NOT NULL, 
	guest TEXT NOT NULL, 
	environment TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	asked_json TEXT NOT NULL, 
	given_json TEXT NOT NULL, 
	provision_s FLOAT NOT NULL, 
	started_at TEXT NOT NULL, 
	PRIMARY KEY (position), 
	UNIQUE (guest)
);
INSERT INTO "guests" VALUES(1,'g0','box','runc','{"cpus":0.5}','{"pid":7,"note":"\u00fcn\u00efcode"}',0.25,'2026');
INSERT INTO "guests" VALUES(2,'g3','box','runc','{"cpus":0.5}','{"pid":7,"note":"\u00fcn\u00efcode"}',0.25,'2026');
CREATE TABLE placements (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	environment TEXT NOT NULL, 
	workload TEXT NOT NULL, 
	role TEXT NOT NULL, 
	guest INTEGER NOT NULL, 
	uses_json TEXT NOT NULL, 
	instance INTEGER NOT NULL, 
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
)
 WITHOUT ROWID

;
INSERT INTO "placements" VALUES(0,0,'box','w','measured',1,'[]',1);
INSERT INTO "placements" VALUES(0,1,'native','w','load',1,'[]',2);
INSERT INTO "placements" VALUES(1,0,'native','w','measured',1,'[]',1);
INSERT INTO "placements" VALUES(1,1,'native','w','load',1,'[]',1);
INSERT INTO "placements" VALUES(2,0,'box','w','measured',1,'[]',1);
INSERT INTO "placements" VALUES(2,1,'native','w','load',1,'[]',1);
INSERT INTO "placements" VALUES(3,0,'native','w','measured',1,'[]',1);
INSERT INTO "placements" VALUES(3,1,'native','w','load',1,'[]',1);
INSERT INTO "placements" VALUES(4,0,'box','w','measured',1,'[]',1);
INSERT INTO "placements" VALUES(4,1,'native','w','load',1,'[]',2);
INSERT INTO "placements" VALUES(5,0,'native','w','measured',1,'[]',1);
INSERT INTO "placements" VALUES(5,1,'native','w','load',1,'[]',1);
CREATE TABLE planned (
	trial INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_group INTEGER NOT NULL, 
	turns INTEGER, 
	scenario TEXT NOT NULL, 
	PRIMARY KEY (trial)
);
INSERT INTO "planned" VALUES(0,0,0,0,0,'beside a load');
INSERT INTO "planned" VALUES(1,0,1,1,0,'beside a load');
INSERT INTO "planned" VALUES(2,1,0,2,NULL,'');
INSERT INTO "planned" VALUES(3,1,1,3,1,'beside a load');
INSERT INTO "planned" VALUES(4,2,0,0,0,'beside a load');
INSERT INTO "planned" VALUES(5,2,1,1,0,'beside a load');
CREATE TABLE probes (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	sent_host_ns INTEGER NOT NULL, 
	received_guest_ns INTEGER NOT NULL, 
	sent_guest_ns INTEGER NOT NULL, 
	received_host_ns INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "probes" VALUES(0,0,0,0,1,2,3,'before');
INSERT INTO "probes" VALUES(0,0,1,1,2,3,4,'during');
INSERT INTO "probes" VALUES(0,0,2,2,3,4,5,'after');
INSERT INTO "probes" VALUES(0,0,3,3,4,5,6,'null');
INSERT INTO "probes" VALUES(0,0,4,4,5,6,7,'work');
INSERT INTO "probes" VALUES(0,1,0,0,1,2,3,'before');
INSERT INTO "probes" VALUES(0,1,1,1,2,3,4,'during');
INSERT INTO "probes" VALUES(0,1,2,2,3,4,5,'after');
INSERT INTO "probes" VALUES(0,1,3,3,4,5,6,'null');
INSERT INTO "probes" VALUES(0,1,4,4,5,6,7,'work');
INSERT INTO "probes" VALUES(3,0,0,0,1,2,3,'before');
INSERT INTO "probes" VALUES(3,0,1,1,2,3,4,'during');
INSERT INTO "probes" VALUES(3,0,2,2,3,4,5,'after');
INSERT INTO "probes" VALUES(3,0,3,3,4,5,6,'null');
INSERT INTO "probes" VALUES(3,0,4,4,5,6,7,'work');
CREATE TABLE runs (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	guest TEXT NOT NULL, 
	kernel TEXT NOT NULL, 
	op TEXT NOT NULL, 
	parameters_json TEXT NOT NULL, 
	threads INTEGER NOT NULL, 
	unit TEXT NOT NULL, 
	better TEXT NOT NULL, 
	conditions_json TEXT NOT NULL, 
	agent_value FLOAT, 
	agent_cpu_s FLOAT, 
	check_json TEXT, 
	measures_json TEXT, 
	histograms_json TEXT, 
	output TEXT, 
	value FLOAT, 
	work INTEGER, 
	guest_cpu_s FLOAT, 
	window_start_host_ns INTEGER, 
	window_end_host_ns INTEGER, 
	clock_reference_guest_ns INTEGER, 
	clock_reference_host_ns INTEGER, 
	clock_rate FLOAT, 
	clock_bound_ns FLOAT, 
	clock_rate_bound FLOAT, 
	clock_probes INTEGER, 
	fault TEXT, 
	fault_size_s FLOAT, 
	fault_at_s FLOAT, 
	fault_bound FLOAT, 
	guest_use_json TEXT, 
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement), 
	FOREIGN KEY(trial) REFERENCES trials (trial), 
	FOREIGN KEY(guest) REFERENCES guests (guest)
)
 WITHOUT ROWID

;
INSERT INTO "runs" VALUES(0,0,'g0','disk','random-read','{"size":4096,"direct":true}',1,'IO/s','higher','{"io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',999.875,0.045,'{"kind":"checksum","value":"0xdead","passed":true}','{"cpu-per-io":{"unit":"s","value":1.5e-06}}','{"latency":{"unit":"s","digits":2,"counts":[[99327,12],[100351,8]]}}',NULL,1000.125,3,0.123,4503599627370496,4503600627370496,123456789,987654321,1.0000012345,345.5,1.0e-07,40,NULL,NULL,NULL,NULL,'{"code":0.1,"vmm":0.02,"kernel":null,"user":0.09,"system":0.033,"unknown":"threads are hidden","traffic":{"received_bytes":13,"received_packets":14,"received_dropped":15,"sent_bytes":16,"sent_packets":17,"sent_dropped":18}}');
INSERT INTO "runs" VALUES(0,1,'g0','disk','random-read','{"size":4096,"direct":true}',2,'IO/s','higher','{"io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',999.875,0.045,'{"kind":"checksum","value":"0xdead","passed":true}','{"cpu-per-io":{"unit":"s","value":1.5e-06}}','{"latency":{"unit":"s","digits":2,"counts":[[99327,12],[100351,8]]}}',NULL,1000.125,3,NULL,4503599627370496,4503600627370496,123456789,987654321,1.0000012345,345.5,1.0e-07,40,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(3,0,'g3','disk','random-read','{"size":4096}',2,'IO/s','higher','{"io":"direct"}',10.5,3.25,'{"passed":true}','{}','{}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'uncertain',NULL,NULL,0.0064,NULL);
CREATE TABLE samples (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_ns INTEGER NOT NULL, 
	end_ns INTEGER NOT NULL, 
	work INTEGER NOT NULL, 
	check_value TEXT NOT NULL, 
	excluded TEXT, 
	mark TEXT NOT NULL, 
	slice INTEGER, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "samples" VALUES(0,0,0,10,20,9007199254740991,'c0','clock-error','clock error',-1);
INSERT INTO "samples" VALUES(0,0,1,11,21,9007199254740990,'c1',NULL,'',0);
INSERT INTO "samples" VALUES(0,0,2,12,22,9007199254740989,'c2',NULL,'',1);
INSERT INTO "samples" VALUES(0,1,0,10,20,9007199254740991,'c0','clock-error','clock error',-1);
INSERT INTO "samples" VALUES(0,1,1,11,21,9007199254740990,'c1',NULL,'',0);
INSERT INTO "samples" VALUES(0,1,2,12,22,9007199254740989,'c2',NULL,'',1);
INSERT INTO "samples" VALUES(3,0,0,10,5,0,'c0','failed-trial','it stepped',NULL);
INSERT INTO "samples" VALUES(3,0,1,11,4,1,'c1','failed-trial','it stepped',NULL);
INSERT INTO "samples" VALUES(3,0,2,12,3,2,'c2','failed-trial','it stepped',NULL);
CREATE TABLE stages (
	position INTEGER NOT NULL, 
	decided_at TEXT NOT NULL, 
	first_trial INTEGER NOT NULL, 
	trials INTEGER NOT NULL, 
	blocks_json TEXT NOT NULL, 
	beyond_json TEXT NOT NULL, 
	bounded_by TEXT NOT NULL, 
	follow_up_json TEXT, 
	PRIMARY KEY (position)
);
INSERT INTO "stages" VALUES(1,'2026-01-02T04:00:00.000+00:00',4,2,'[["w","box",1]]','[["w","native",null]]','a budget of 60 s',NULL);
INSERT INTO "stages" VALUES(2,'2026-01-02T05:00:00.000+00:00',6,0,'[]','[]','','{"screened":[{"factor":"cache","why":"its effect can matter","metric":"w","level":"none","low":-2.0,"high":8.5,"chain":[]},{"factor":"bus","why":"its effect cannot matter","metric":"w","level":"ide","low":-0.5,"high":0.5,"chain":[]}],"cells":["native","other"],"environments":[{"name":"other","kind":"runc","settings":{"cpus":1},"timing":"auto","levels":{"cache":"none"},"of":"box"}],"terms":["cache"],"left_out":[],"levels":{"cache":["writeback","none"]},"missing":{"other":["it is not here",""]},"blocks":9}');
CREATE TABLE superseded (
	entry INTEGER NOT NULL, 
	rows_json TEXT NOT NULL, 
	PRIMARY KEY (entry), 
	FOREIGN KEY(entry) REFERENCES entries (entry)
);
CREATE TABLE trials (
	trial INTEGER NOT NULL, 
	status TEXT NOT NULL CHECK (status IN ('done', 'failed')), 
	reason TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	wall_s FLOAT NOT NULL, 
	start_skew_ns INTEGER NOT NULL, 
	host_json TEXT, 
	marks_json TEXT NOT NULL, 
	failure TEXT, 
	failure_placement INTEGER, 
	PRIMARY KEY (trial), 
	CHECK (status = 'done' OR reason <> ''), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "trials" VALUES(0,'done','','2026-01-02T03:05:00.000+00:00',1.5,12345,'{"wall_s":1.0,"user":0.5,"nice":0.0,"system":0.25,"idle":1.0,"iowait":0.125,"irq":0.0,"softirq":0.0625,"steal":0.03125,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null,"processors":[{"number":0,"user":0.25,"nice":0.0,"system":0.125,"idle":0.5,"iowait":0.0625,"irq":0.0,"softirq":0.03125,"steal":0.015625},{"number":1,"user":0.25,"nice":0.0,"system":0.125,"idle":0.5,"iowait":0.0625,"irq":0.0,"softirq":0.03125,"steal":0.015625}],"run_queue":1.5,"context_switches":4321,"disk_read":4096,"disk_written":8192,"network":{"received_bytes":1,"received_packets":2,"received_dropped":3,"sent_bytes":4,"sent_packets":5,"sent_dropped":6},"loopback":{"received_bytes":7,"received_packets":8,"received_dropped":9,"sent_bytes":10,"sent_packets":11,"sent_dropped":12},"watch_s":null,"overlap_s":null}','[["steal","7 %"]]',NULL,NULL);
INSERT INTO "trials" VALUES(1,'failed','the guest died: exit status 3','2026',0.5,0,NULL,'[]','guest',NULL);
INSERT INTO "trials" VALUES(3,'failed','the guest''s clock stepped by about -3 s','2026',0.5,0,NULL,'[]','clock',0);
CREATE TABLE tunings (
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	tuning TEXT NOT NULL, 
	state TEXT NOT NULL CHECK (state IN ('in-force', 'undone', 'left')), 
	what TEXT NOT NULL, 
	PRIMARY KEY (position)
);
INSERT INTO "tunings" VALUES(1,'2026-01-02T06:00:00.000+00:00','tune-1-000001','in-force','sysctl vm.swappiness=11');
INSERT INTO "tunings" VALUES(2,'2026-01-02T06:00:01.000+00:00','tune-1-000001','left','vm.swappiness was 60');
COMMIT;
