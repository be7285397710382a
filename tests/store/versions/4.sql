PRAGMA application_id = 1447645773;
PRAGMA user_version = 4;
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
','{"virtometer":1,"name":"ledger","question":"Is anything lost?","environments":[{"name":"native","kind":"native","settings":{},"timing":"auto"},{"name":"box","kind":"runc","settings":{"cpus":0.5,"memory":67108864},"timing":"auto"}],"baseline":"native","workloads":[{"name":"w","workload":"disk","op":"random-read","parameters":{"size":4096},"threads":1,"seconds":null,"factors":{}}],"scenario":"alone","blocks":4,"seconds":1.0,"fresh":"trial","unavailable":"refuse","seed":null,"margin":0.05,"disk_span":536870912,"limits":{"start_s":60.0,"prepare_s":60.0,"run_extra_s":30.0,"answer_s":10.0,"clock_error":0.005},"rules":{"max_steal_share":0.05,"max_swap_pages":0,"min_free_memory_bytes":268435456,"max_stall_share":0.1}}',9223372036854775807,'2026-01-02T03:04:05.678+00:00','{"cpu":"a processor","cpus":2,"memory_bytes":1099511627776,"flags":["fpu","avx"],"cpufreq":null}','{"virtometer":"0.1.0","agent_sha256":"abababababababababababababababababababababababababababababababab"}');
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
	PRIMARY KEY (entry), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "entries" VALUES(1,NULL,0,1,'0c17f2872e33599e6428094b03ba9e14fd8604af00d31248f98e59c49c0ff271');
INSERT INTO "entries" VALUES(2,0,1,1,'bd9ad1d5d829937c2835f4d808400e88c19e09f67df961d9821770433758434d');
INSERT INTO "entries" VALUES(3,1,1,1,'241b1048f5efcfe18ba024463fdd57d8e763a4c992b82e03eac230271d39eec2');
INSERT INTO "entries" VALUES(4,3,2,1,'4ce75d92b87eb01d52cf63555ddea962af8d6061d8f417bc7fd24a0aa2e1fb81');
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
CREATE TABLE evidence (
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
	said_json TEXT, 
	fault TEXT, 
	fault_size_s FLOAT, 
	fault_at_s FLOAT, 
	fault_bound FLOAT, 
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement), 
	FOREIGN KEY(trial) REFERENCES trials (trial), 
	FOREIGN KEY(guest) REFERENCES guests (guest)
)
 WITHOUT ROWID

;
INSERT INTO "evidence" VALUES(3,0,'g3','disk','random-read','{"size":4096}',2,'IO/s','higher','{"io":"direct"}','{"value":10.5,"unit":"IO/s","measures":{},"output":null}','uncertain',NULL,NULL,0.0064);
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
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
)
 WITHOUT ROWID

;
INSERT INTO "placements" VALUES(0,0,'box','w','measured');
INSERT INTO "placements" VALUES(0,1,'native','w','load');
INSERT INTO "placements" VALUES(1,0,'native','w','measured');
INSERT INTO "placements" VALUES(1,1,'native','w','load');
INSERT INTO "placements" VALUES(2,0,'box','w','measured');
INSERT INTO "placements" VALUES(2,1,'native','w','load');
INSERT INTO "placements" VALUES(3,0,'native','w','measured');
INSERT INTO "placements" VALUES(3,1,'native','w','load');
CREATE TABLE planned (
	trial INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_group INTEGER NOT NULL, 
	PRIMARY KEY (trial)
);
INSERT INTO "planned" VALUES(0,0,0,0);
INSERT INTO "planned" VALUES(1,0,1,1);
INSERT INTO "planned" VALUES(2,1,0,2);
INSERT INTO "planned" VALUES(3,1,1,3);
CREATE TABLE probes (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	sent_host_ns INTEGER NOT NULL, 
	received_guest_ns INTEGER NOT NULL, 
	sent_guest_ns INTEGER NOT NULL, 
	received_host_ns INTEGER NOT NULL, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "probes" VALUES(0,0,0,0,1,2,3);
INSERT INTO "probes" VALUES(0,0,1,1,2,3,4);
INSERT INTO "probes" VALUES(0,0,2,2,3,4,5);
INSERT INTO "probes" VALUES(0,0,3,3,4,5,6);
INSERT INTO "probes" VALUES(0,0,4,4,5,6,7);
INSERT INTO "probes" VALUES(0,1,0,0,1,2,3);
INSERT INTO "probes" VALUES(0,1,1,1,2,3,4);
INSERT INTO "probes" VALUES(0,1,2,2,3,4,5);
INSERT INTO "probes" VALUES(0,1,3,3,4,5,6);
INSERT INTO "probes" VALUES(0,1,4,4,5,6,7);
INSERT INTO "probes" VALUES(3,0,0,0,1,2,3);
INSERT INTO "probes" VALUES(3,0,1,1,2,3,4);
INSERT INTO "probes" VALUES(3,0,2,2,3,4,5);
INSERT INTO "probes" VALUES(3,0,3,3,4,5,6);
INSERT INTO "probes" VALUES(3,0,4,4,5,6,7);
CREATE TABLE results (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	guest TEXT NOT NULL, 
	kernel TEXT NOT NULL, 
	op TEXT NOT NULL, 
	parameters_json TEXT NOT NULL, 
	threads INTEGER NOT NULL, 
	unit TEXT NOT NULL, 
	better TEXT NOT NULL, 
	value FLOAT NOT NULL, 
	agent_value FLOAT NOT NULL, 
	clock_reference_guest_ns INTEGER NOT NULL, 
	clock_reference_host_ns INTEGER NOT NULL, 
	clock_rate FLOAT NOT NULL, 
	clock_bound_ns FLOAT NOT NULL, 
	clock_rate_bound FLOAT NOT NULL, 
	clock_probes INTEGER NOT NULL, 
	window_start_host_ns INTEGER NOT NULL, 
	window_end_host_ns INTEGER NOT NULL, 
	work INTEGER NOT NULL, 
	guest_cpu_s FLOAT, 
	agent_cpu_s FLOAT NOT NULL, 
	check_json TEXT NOT NULL, 
	conditions_json TEXT NOT NULL, 
	measures_json TEXT NOT NULL, 
	histograms_json TEXT NOT NULL, 
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement), 
	FOREIGN KEY(trial) REFERENCES trials (trial), 
	FOREIGN KEY(guest) REFERENCES guests (guest)
)
 WITHOUT ROWID

;
INSERT INTO "results" VALUES(0,0,'g0','disk','random-read','{"size":4096,"direct":true}',1,'IO/s','higher',1000.125,999.875,123456789,987654321,1.0000012345,345.5,1.0e-07,40,4503599627370496,4503600627370496,3,0.123,0.045,'{"kind":"checksum","value":"0xdead","passed":true}','{"io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{"cpu-per-io":{"unit":"s","value":1.5e-06}}','{"latency":{"unit":"s","digits":2,"counts":[[99327,12],[100351,8]]}}');
INSERT INTO "results" VALUES(0,1,'g0','disk','random-read','{"size":4096,"direct":true}',2,'IO/s','higher',1000.125,999.875,123456789,987654321,1.0000012345,345.5,1.0e-07,40,4503599627370496,4503600627370496,3,NULL,0.045,'{"kind":"checksum","value":"0xdead","passed":true}','{"io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{"cpu-per-io":{"unit":"s","value":1.5e-06}}','{"latency":{"unit":"s","digits":2,"counts":[[99327,12],[100351,8]]}}');
CREATE TABLE samples (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_ns INTEGER NOT NULL, 
	end_ns INTEGER NOT NULL, 
	work INTEGER NOT NULL, 
	check_value TEXT NOT NULL, 
	used BOOLEAN NOT NULL, 
	mark TEXT NOT NULL, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "samples" VALUES(0,0,0,10,20,9007199254740991,'c0',0,'clock error');
INSERT INTO "samples" VALUES(0,0,1,11,21,9007199254740990,'c1',1,'');
INSERT INTO "samples" VALUES(0,0,2,12,22,9007199254740989,'c2',1,'');
INSERT INTO "samples" VALUES(0,1,0,10,20,9007199254740991,'c0',0,'clock error');
INSERT INTO "samples" VALUES(0,1,1,11,21,9007199254740990,'c1',1,'');
INSERT INTO "samples" VALUES(0,1,2,12,22,9007199254740989,'c2',1,'');
INSERT INTO "samples" VALUES(3,0,0,10,5,0,'c0',0,'it stepped');
INSERT INTO "samples" VALUES(3,0,1,11,4,1,'c1',0,'it stepped');
INSERT INTO "samples" VALUES(3,0,2,12,3,2,'c2',0,'it stepped');
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
	PRIMARY KEY (trial), 
	CHECK (status = 'done' OR reason <> ''), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "trials" VALUES(0,'done','','2026-01-02T03:05:00.000+00:00',1.5,12345,'{"wall_s":1.0,"user":0.5,"nice":0.0,"system":0.25,"idle":1.0,"iowait":0.125,"irq":0.0,"softirq":0.0625,"steal":0.03125}','["steal 7 %"]');
INSERT INTO "trials" VALUES(1,'failed','the guest died: exit status 3','2026',0.5,0,NULL,'[]');
INSERT INTO "trials" VALUES(3,'failed','box: the guest''s clock stepped by about -3 s','2026',0.5,0,NULL,'[]');
COMMIT;
