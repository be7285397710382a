PRAGMA application_id = 1447645773;
PRAGMA user_version = 1;
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
INSERT INTO "campaign" VALUES(1,'virtometer: 1
name: simulated
','{"virtometer":1,"name":"simulated","question":"What does each environment cost?","environments":[{"name":"native","kind":"native","settings":{}},{"name":"user-mode Linux","kind":"uml","settings":{}},{"name":"slow","kind":"gvisor","settings":{}},{"name":"same","kind":"runc","settings":{}},{"name":"bare","kind":"qemu","settings":{}},{"name":"KVM","kind":"kvm","settings":{}}],"baseline":"native","workloads":[{"name":"disk 4k random read","workload":"disk","op":"random-read","parameters":{},"threads":1,"seconds":null},{"name":"context switch","workload":"os","op":"context-switch","parameters":{},"threads":1,"seconds":null}],"scenario":"alone","blocks":7,"seconds":1.0,"fresh":"trial","unavailable":"refuse","seed":null,"margin":0.05,"disk_span":536870912,"limits":{"start_s":60.0,"prepare_s":60.0,"run_extra_s":30.0,"answer_s":10.0,"stop_s":10.0,"clock_error":0.005},"rules":{"max_steal_share":0.05,"max_swap_pages":0,"min_free_memory_bytes":268435456}}',5,'2026-01-02T03:04:05.678+00:00','{"cpu_model":"Simulated 3000","cpus_online":2,"kernel":"6.1"}','{"virtometer":"0.1.0","agent":"0.1.0"}');
CREATE TABLE commands (
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	argv_json TEXT NOT NULL, 
	status INTEGER, 
	PRIMARY KEY (position)
);
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
INSERT INTO "environments" VALUES(0,'native','native',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(1,'user-mode Linux','uml',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(2,'slow','gvisor',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(3,'same','runc',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(4,'bare','qemu',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(5,'KVM','kvm',0,'no, "not" here','','{"disk":true}');
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
INSERT INTO "guests" VALUES(1,'sim-0','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:00.000+00:00');
INSERT INTO "guests" VALUES(2,'sim-1','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:02.000+00:00');
INSERT INTO "guests" VALUES(3,'sim-2','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:04.000+00:00');
INSERT INTO "guests" VALUES(4,'sim-3','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:06.000+00:00');
INSERT INTO "guests" VALUES(5,'sim-4','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:08.000+00:00');
INSERT INTO "guests" VALUES(6,'sim-5','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:10.000+00:00');
INSERT INTO "guests" VALUES(7,'sim-6','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:12.000+00:00');
INSERT INTO "guests" VALUES(8,'sim-7','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:14.000+00:00');
INSERT INTO "guests" VALUES(9,'sim-8','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:16.000+00:00');
INSERT INTO "guests" VALUES(10,'sim-9','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:18.000+00:00');
INSERT INTO "guests" VALUES(11,'sim-10','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:20.000+00:00');
INSERT INTO "guests" VALUES(12,'sim-11','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:22.000+00:00');
INSERT INTO "guests" VALUES(13,'sim-12','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:24.000+00:00');
INSERT INTO "guests" VALUES(14,'sim-13','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:26.000+00:00');
INSERT INTO "guests" VALUES(15,'sim-14','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:28.000+00:00');
INSERT INTO "guests" VALUES(16,'sim-15','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:30.000+00:00');
INSERT INTO "guests" VALUES(17,'sim-16','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:32.000+00:00');
INSERT INTO "guests" VALUES(18,'sim-17','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:34.000+00:00');
INSERT INTO "guests" VALUES(19,'sim-18','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:36.000+00:00');
INSERT INTO "guests" VALUES(20,'sim-19','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:38.000+00:00');
INSERT INTO "guests" VALUES(21,'sim-20','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:40.000+00:00');
INSERT INTO "guests" VALUES(22,'sim-21','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:42.000+00:00');
INSERT INTO "guests" VALUES(23,'sim-22','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:44.000+00:00');
INSERT INTO "guests" VALUES(24,'sim-23','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:46.000+00:00');
INSERT INTO "guests" VALUES(25,'sim-24','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:48.000+00:00');
INSERT INTO "guests" VALUES(26,'sim-25','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:50.000+00:00');
INSERT INTO "guests" VALUES(27,'sim-26','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:52.000+00:00');
INSERT INTO "guests" VALUES(28,'sim-27','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:54.000+00:00');
INSERT INTO "guests" VALUES(29,'sim-28','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:56.000+00:00');
INSERT INTO "guests" VALUES(30,'sim-29','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:58.000+00:00');
INSERT INTO "guests" VALUES(31,'sim-30','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:00.000+00:00');
INSERT INTO "guests" VALUES(32,'sim-31','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:02.000+00:00');
INSERT INTO "guests" VALUES(33,'sim-32','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:04.000+00:00');
INSERT INTO "guests" VALUES(34,'sim-33','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:06.000+00:00');
INSERT INTO "guests" VALUES(35,'sim-34','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:08.000+00:00');
INSERT INTO "guests" VALUES(36,'sim-35','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:10.000+00:00');
INSERT INTO "guests" VALUES(37,'sim-36','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:12.000+00:00');
INSERT INTO "guests" VALUES(38,'sim-37','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:14.000+00:00');
INSERT INTO "guests" VALUES(39,'sim-38','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:16.000+00:00');
INSERT INTO "guests" VALUES(40,'sim-39','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:18.000+00:00');
INSERT INTO "guests" VALUES(41,'sim-40','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:20.000+00:00');
INSERT INTO "guests" VALUES(42,'sim-41','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:22.000+00:00');
INSERT INTO "guests" VALUES(43,'sim-42','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:24.000+00:00');
INSERT INTO "guests" VALUES(44,'sim-43','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:26.000+00:00');
INSERT INTO "guests" VALUES(45,'sim-44','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:28.000+00:00');
INSERT INTO "guests" VALUES(46,'sim-45','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:30.000+00:00');
INSERT INTO "guests" VALUES(47,'sim-46','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:32.000+00:00');
INSERT INTO "guests" VALUES(48,'sim-47','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:34.000+00:00');
INSERT INTO "guests" VALUES(49,'sim-48','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:36.000+00:00');
INSERT INTO "guests" VALUES(50,'sim-49','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:38.000+00:00');
INSERT INTO "guests" VALUES(51,'sim-50','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:40.000+00:00');
INSERT INTO "guests" VALUES(52,'sim-51','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:42.000+00:00');
INSERT INTO "guests" VALUES(53,'sim-52','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:44.000+00:00');
INSERT INTO "guests" VALUES(54,'sim-53','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:46.000+00:00');
INSERT INTO "guests" VALUES(55,'sim-54','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:48.000+00:00');
INSERT INTO "guests" VALUES(56,'sim-55','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:50.000+00:00');
INSERT INTO "guests" VALUES(57,'sim-56','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:52.000+00:00');
INSERT INTO "guests" VALUES(58,'sim-57','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:54.000+00:00');
INSERT INTO "guests" VALUES(59,'sim-58','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:56.000+00:00');
INSERT INTO "guests" VALUES(60,'sim-59','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:58.000+00:00');
INSERT INTO "guests" VALUES(61,'sim-60','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:00.000+00:00');
INSERT INTO "guests" VALUES(62,'sim-61','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:02.000+00:00');
INSERT INTO "guests" VALUES(63,'sim-62','slow','gvisor','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:04.000+00:00');
INSERT INTO "guests" VALUES(64,'sim-63','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:06.000+00:00');
INSERT INTO "guests" VALUES(65,'sim-64','same','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:08.000+00:00');
INSERT INTO "guests" VALUES(66,'sim-65','bare','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:10.000+00:00');
INSERT INTO "guests" VALUES(67,'sim-66','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:12.000+00:00');
INSERT INTO "guests" VALUES(68,'sim-67','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:14.000+00:00');
INSERT INTO "guests" VALUES(69,'sim-68','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:16.000+00:00');
INSERT INTO "guests" VALUES(70,'sim-69','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:18.000+00:00');
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
INSERT INTO "placements" VALUES(0,0,'same','context switch','measured');
INSERT INTO "placements" VALUES(1,0,'same','disk 4k random read','measured');
INSERT INTO "placements" VALUES(2,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(3,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(4,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(5,0,'slow','disk 4k random read','measured');
INSERT INTO "placements" VALUES(6,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(7,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(8,0,'slow','context switch','measured');
INSERT INTO "placements" VALUES(9,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(10,0,'same','context switch','measured');
INSERT INTO "placements" VALUES(11,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(12,0,'slow','context switch','measured');
INSERT INTO "placements" VALUES(13,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(14,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(15,0,'same','disk 4k random read','measured');
INSERT INTO "placements" VALUES(16,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(17,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(18,0,'slow','disk 4k random read','measured');
INSERT INTO "placements" VALUES(19,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(20,0,'slow','disk 4k random read','measured');
INSERT INTO "placements" VALUES(21,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(22,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(23,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(24,0,'same','disk 4k random read','measured');
INSERT INTO "placements" VALUES(25,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(26,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(27,0,'slow','context switch','measured');
INSERT INTO "placements" VALUES(28,0,'same','context switch','measured');
INSERT INTO "placements" VALUES(29,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(30,0,'same','disk 4k random read','measured');
INSERT INTO "placements" VALUES(31,0,'same','context switch','measured');
INSERT INTO "placements" VALUES(32,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(33,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(34,0,'slow','context switch','measured');
INSERT INTO "placements" VALUES(35,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(36,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(37,0,'slow','disk 4k random read','measured');
INSERT INTO "placements" VALUES(38,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(39,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(40,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(41,0,'slow','context switch','measured');
INSERT INTO "placements" VALUES(42,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(43,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(44,0,'slow','disk 4k random read','measured');
INSERT INTO "placements" VALUES(45,0,'same','context switch','measured');
INSERT INTO "placements" VALUES(46,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(47,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(48,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(49,0,'same','disk 4k random read','measured');
INSERT INTO "placements" VALUES(50,0,'slow','context switch','measured');
INSERT INTO "placements" VALUES(51,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(52,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(53,0,'same','context switch','measured');
INSERT INTO "placements" VALUES(54,0,'slow','disk 4k random read','measured');
INSERT INTO "placements" VALUES(55,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(56,0,'same','disk 4k random read','measured');
INSERT INTO "placements" VALUES(57,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(58,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(59,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(60,0,'same','disk 4k random read','measured');
INSERT INTO "placements" VALUES(61,0,'slow','context switch','measured');
INSERT INTO "placements" VALUES(62,0,'slow','disk 4k random read','measured');
INSERT INTO "placements" VALUES(63,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(64,0,'same','context switch','measured');
INSERT INTO "placements" VALUES(65,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(66,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(67,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(68,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(69,0,'user-mode Linux','disk 4k random read','measured');
CREATE TABLE planned (
	trial INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_group INTEGER NOT NULL, 
	PRIMARY KEY (trial)
);
INSERT INTO "planned" VALUES(0,0,0,0);
INSERT INTO "planned" VALUES(1,0,1,1);
INSERT INTO "planned" VALUES(2,0,2,2);
INSERT INTO "planned" VALUES(3,0,3,3);
INSERT INTO "planned" VALUES(4,0,4,4);
INSERT INTO "planned" VALUES(5,0,5,5);
INSERT INTO "planned" VALUES(6,0,6,6);
INSERT INTO "planned" VALUES(7,0,7,7);
INSERT INTO "planned" VALUES(8,0,8,8);
INSERT INTO "planned" VALUES(9,0,9,9);
INSERT INTO "planned" VALUES(10,1,0,10);
INSERT INTO "planned" VALUES(11,1,1,11);
INSERT INTO "planned" VALUES(12,1,2,12);
INSERT INTO "planned" VALUES(13,1,3,13);
INSERT INTO "planned" VALUES(14,1,4,14);
INSERT INTO "planned" VALUES(15,1,5,15);
INSERT INTO "planned" VALUES(16,1,6,16);
INSERT INTO "planned" VALUES(17,1,7,17);
INSERT INTO "planned" VALUES(18,1,8,18);
INSERT INTO "planned" VALUES(19,1,9,19);
INSERT INTO "planned" VALUES(20,2,0,20);
INSERT INTO "planned" VALUES(21,2,1,21);
INSERT INTO "planned" VALUES(22,2,2,22);
INSERT INTO "planned" VALUES(23,2,3,23);
INSERT INTO "planned" VALUES(24,2,4,24);
INSERT INTO "planned" VALUES(25,2,5,25);
INSERT INTO "planned" VALUES(26,2,6,26);
INSERT INTO "planned" VALUES(27,2,7,27);
INSERT INTO "planned" VALUES(28,2,8,28);
INSERT INTO "planned" VALUES(29,2,9,29);
INSERT INTO "planned" VALUES(30,3,0,30);
INSERT INTO "planned" VALUES(31,3,1,31);
INSERT INTO "planned" VALUES(32,3,2,32);
INSERT INTO "planned" VALUES(33,3,3,33);
INSERT INTO "planned" VALUES(34,3,4,34);
INSERT INTO "planned" VALUES(35,3,5,35);
INSERT INTO "planned" VALUES(36,3,6,36);
INSERT INTO "planned" VALUES(37,3,7,37);
INSERT INTO "planned" VALUES(38,3,8,38);
INSERT INTO "planned" VALUES(39,3,9,39);
INSERT INTO "planned" VALUES(40,4,0,40);
INSERT INTO "planned" VALUES(41,4,1,41);
INSERT INTO "planned" VALUES(42,4,2,42);
INSERT INTO "planned" VALUES(43,4,3,43);
INSERT INTO "planned" VALUES(44,4,4,44);
INSERT INTO "planned" VALUES(45,4,5,45);
INSERT INTO "planned" VALUES(46,4,6,46);
INSERT INTO "planned" VALUES(47,4,7,47);
INSERT INTO "planned" VALUES(48,4,8,48);
INSERT INTO "planned" VALUES(49,4,9,49);
INSERT INTO "planned" VALUES(50,5,0,50);
INSERT INTO "planned" VALUES(51,5,1,51);
INSERT INTO "planned" VALUES(52,5,2,52);
INSERT INTO "planned" VALUES(53,5,3,53);
INSERT INTO "planned" VALUES(54,5,4,54);
INSERT INTO "planned" VALUES(55,5,5,55);
INSERT INTO "planned" VALUES(56,5,6,56);
INSERT INTO "planned" VALUES(57,5,7,57);
INSERT INTO "planned" VALUES(58,5,8,58);
INSERT INTO "planned" VALUES(59,5,9,59);
INSERT INTO "planned" VALUES(60,6,0,60);
INSERT INTO "planned" VALUES(61,6,1,61);
INSERT INTO "planned" VALUES(62,6,2,62);
INSERT INTO "planned" VALUES(63,6,3,63);
INSERT INTO "planned" VALUES(64,6,4,64);
INSERT INTO "planned" VALUES(65,6,5,65);
INSERT INTO "planned" VALUES(66,6,6,66);
INSERT INTO "planned" VALUES(67,6,7,67);
INSERT INTO "planned" VALUES(68,6,8,68);
INSERT INTO "planned" VALUES(69,6,9,69);
CREATE TABLE probes (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	sent_host_ns INTEGER NOT NULL, 
	received_guest_ns INTEGER NOT NULL, 
	sent_guest_ns INTEGER NOT NULL, 
	received_host_ns INTEGER NOT NULL, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES results (trial, placement)
)
 WITHOUT ROWID

;
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
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement), 
	FOREIGN KEY(trial) REFERENCES trials (trial), 
	FOREIGN KEY(guest) REFERENCES guests (guest)
)
 WITHOUT ROWID

;
INSERT INTO "results" VALUES(0,0,'sim-0','os','context-switch','{"size":67108864}',1,'s','lower',2.84350352843503533205e-06,2.87733043917268582626e-06,5000000000,0,1.0001,20000.0,1.0e-06,32,0,1000000000,351714,1.030170306,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(1,0,'sim-1','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.02149785021497846177e+04,1.03281335362197314677e+04,5000000000,2000000000,1.0001,20000.0,1.0e-06,32,2000000000,3000000000,10216,1.00176310679611657583e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(2,0,'sim-2','os','context-switch','{"size":67108864}',1,'s','lower',2.96955030657541177874e-06,2.94677375018723638165e-06,5000000000,4000000000,1.0001,20000.0,1.0e-06,32,4000000000,5000000000,336785,9.76676500000000058498e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(3,0,'sim-3','os','context-switch','{"size":67108864}',1,'s','lower',1.62441181868828875799e-06,1.60976323658757200746e-06,5000000000,6000000000,1.0001,20000.0,1.0e-06,32,6000000000,7000000000,615669,2.14252812,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(4,0,'sim-4','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.84331566843315667941e+04,1.84497441264438639335e+04,5000000000,8000000000,1.0001,20000.0,1.0e-06,32,8000000000,9000000000,18435,2.147766990291262168e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}');
INSERT INTO "results" VALUES(5,0,'sim-5','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.25507449255074425304e+03,9.26415377467045254855e+03,5000000000,10000000000,1.0001,20000.0,1.0e-06,32,10000000000,11000000000,9256,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(6,0,'sim-6','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.02869713028697133271e+04,1.03858307395332467425e+04,5000000000,12000000000,1.0001,20000.0,1.0e-06,32,12000000000,13000000000,10288,9.98834951456310626838e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(7,0,'sim-7','os','context-switch','{"size":67108864}',1,'s','lower',3.04528804021814244106e-06,3.02283930770424104188e-06,5000000000,14000000000,1.0001,20000.0,1.0e-06,32,14000000000,15000000000,328409,1.9047722,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(8,0,'sim-8','os','context-switch','{"size":67108864}',1,'s','lower',3.22872242543204062076e-06,3.22288898167196715739e-06,5000000000,16000000000,1.0001,20000.0,1.0e-06,32,16000000000,17000000000,309751,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(10,0,'sim-10','os','context-switch','{"size":67108864}',1,'s','lower',2.84135462242172833358e-06,2.86800663907245641714e-06,5000000000,20000000000,1.0001,20000.0,1.0e-06,32,20000000000,21000000000,351980,1.03094942,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(13,0,'sim-13','os','context-switch','{"size":67108864}',1,'s','lower',2.92945122219130318777e-06,2.90095881785512322501e-06,5000000000,26000000000,1.0001,20000.0,1.0e-06,32,26000000000,27000000000,341395,0.9900455,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(14,0,'sim-14','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.03119688031196874366e+04,1.02759855185602391432e+04,5000000000,28000000000,1.0001,20000.0,1.0e-06,32,28000000000,29000000000,10313,1.00126213592233015425e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(15,0,'sim-15','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.01599840015998397579e+04,1.01790270017248276419e+04,5000000000,30000000000,1.0001,20000.0,1.0e-06,32,30000000000,31000000000,10161,9.96369902912621285828e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(16,0,'sim-16','os','context-switch','{"size":67108864}',1,'s','lower',3.0334004658837229575e-06,3.04253522192854912909e-06,5000000000,32000000000,1.0001,20000.0,1.0e-06,32,32000000000,33000000000,329696,1.9122368,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(17,0,'sim-17','os','context-switch','{"size":67108864}',1,'s','lower',1.59567678650064781646e-06,1.62029171348839674121e-06,5000000000,34000000000,1.0001,20000.0,1.0e-06,32,34000000000,35000000000,626756,2.18111088,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(18,0,'sim-18','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.35906409359064127805e+03,9.34866270543743667093e+03,5000000000,36000000000,1.0001,20000.0,1.0e-06,32,36000000000,37000000000,9360,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(19,0,'sim-19','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.86141385861413873499e+04,1.85270212709248226021e+04,5000000000,38000000000,1.0001,20000.0,1.0e-06,32,38000000000,39000000000,18616,2.16885436893203875641e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}');
INSERT INTO "results" VALUES(20,0,'sim-20','disk','random-read','{"size":67108864}',1,'IO/s','higher',9281.07189281072,9.2795551661085974044e+03,5000000000,40000000000,1.0001,20000.0,1.0e-06,32,40000000000,41000000000,9282,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(21,0,'sim-21','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.00369963003699631375e+04,1.01671210069317075974e+04,5000000000,42000000000,1.0001,20000.0,1.0e-06,32,42000000000,43000000000,5019,4.87281553398058231429e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(22,0,'sim-22','os','context-switch','{"size":67108864}',1,'s','lower',2.94801691992512774152e-06,2.92817821428626594076e-06,5000000000,44000000000,1.0001,20000.0,1.0e-06,32,44000000000,45000000000,339245,0.9838105,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(23,0,'sim-23','os','context-switch','{"size":67108864}',1,'s','lower',1.59808376956657916131e-06,1.59291211218678847253e-06,5000000000,46000000000,1.0001,20000.0,1.0e-06,32,46000000000,47000000000,625812,2.17782576,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(24,0,'sim-24','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.01389861013898607779e+04,1.01698057861185061484e+04,5000000000,48000000000,1.0001,20000.0,1.0e-06,32,48000000000,49000000000,10140,9.94310679611650427567e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(25,0,'sim-25','os','context-switch','{"size":67108864}',1,'s','lower',3.04998734381814145372e-06,3.04280458164312363916e-06,5000000000,50000000000,1.0001,20000.0,1.0e-06,32,50000000000,51000000000,327903,1.9018374,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(27,0,'sim-27','os','context-switch','{"size":67108864}',1,'s','lower',3.20745337630891086009e-06,3.22047966592217297407e-06,5000000000,54000000000,1.0001,20000.0,1.0e-06,32,54000000000,55000000000,311805,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(28,0,'sim-28','os','context-switch','{"size":67108864}',1,'s','lower',2.89328044945510489179e-06,2.86370907907488851818e-06,5000000000,56000000000,1.0001,20000.0,1.0e-06,32,56000000000,57000000000,345663,1.012446927,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(29,0,'sim-29','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.84551544845515454653e+04,1.84748064421215822221e+04,5000000000,58000000000,1.0001,20000.0,1.0e-06,32,58000000000,59000000000,18457,2.15033009708737843368e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}');
INSERT INTO "results" VALUES(31,0,'sim-31','os','context-switch','{"size":67108864}',1,'s','lower',2.9597163691462662776e-06,2.95071062994426713023e-06,5000000000,62000000000,1.0001,20000.0,1.0e-06,32,62000000000,63000000000,337904,9.89720816000000058743e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(32,0,'sim-32','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.86511348865113504866e+04,1.87089318658990123363e+04,5000000000,64000000000,1.0001,20000.0,1.0e-06,32,64000000000,65000000000,18653,2.17316504854368908183e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}');
INSERT INTO "results" VALUES(33,0,'sim-33','os','context-switch','{"size":67108864}',1,'s','lower',1.60866145405237595152e-06,1.6009368399089325359e-06,5000000000,66000000000,1.0001,20000.0,1.0e-06,32,66000000000,67000000000,621697,2.16350556000000038281e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(34,0,'sim-34','os','context-switch','{"size":67108864}',1,'s','lower',3.25558684223376047675e-06,3.25684657707108360814e-06,5000000000,68000000000,1.0001,20000.0,1.0e-06,32,68000000000,69000000000,307195,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(36,0,'sim-36','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.04439556044395558272e+04,1.04950147192556578375e+04,5000000000,72000000000,1.0001,20000.0,1.0e-06,32,72000000000,73000000000,10445,1.0140776699029125929e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(37,0,'sim-37','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.14508549145085453385e+03,9.24163677677070882071e+03,5000000000,74000000000,1.0001,20000.0,1.0e-06,32,74000000000,75000000000,9146,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(38,0,'sim-38','os','context-switch','{"size":67108864}',1,'s','lower',2.90122883765186401899e-06,2.89955676472364059451e-06,5000000000,76000000000,1.0001,20000.0,1.0e-06,32,76000000000,77000000000,344716,0.9996764,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(39,0,'sim-39','os','context-switch','{"size":67108864}',1,'s','lower',3.03906940844351390043e-06,3.05429237349710277246e-06,5000000000,78000000000,1.0001,20000.0,1.0e-06,32,78000000000,79000000000,329081,1.90866980000000019401e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(41,0,'sim-41','os','context-switch','{"size":67108864}',1,'s','lower',3.22998417466007792199e-06,3.22639677165541627909e-06,5000000000,82000000000,1.0001,20000.0,1.0e-06,32,82000000000,83000000000,309630,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(42,0,'sim-42','os','context-switch','{"size":67108864}',1,'s','lower',3.02105768736991887749e-06,3.04234008323113358659e-06,5000000000,84000000000,1.0001,20000.0,1.0e-06,32,84000000000,85000000000,331043,1.92004940000000012823e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(43,0,'sim-43','os','context-switch','{"size":67108864}',1,'s','lower',2.96692506000005948325e-06,2.94525191664164614656e-06,5000000000,86000000000,1.0001,20000.0,1.0e-06,32,86000000000,87000000000,337083,0.9775407,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(44,0,'sim-44','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.45305469453054683995e+03,9.45227873944867496864e+03,5000000000,88000000000,1.0001,20000.0,1.0e-06,32,88000000000,89000000000,9454,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(45,0,'sim-45','os','context-switch','{"size":67108864}',1,'s','lower',2.96665223040277183791e-06,2.94017461866953e-06,5000000000,90000000000,1.0001,20000.0,1.0e-06,32,90000000000,91000000000,337114,0.987406906,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(46,0,'sim-46','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.03119688031196874366e+04,1.0256794417892040656e+04,5000000000,92000000000,1.0001,20000.0,1.0e-06,32,92000000000,93000000000,10313,1.00126213592233015425e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(47,0,'sim-47','os','context-switch','{"size":67108864}',1,'s','lower',1.602806554182265804e-06,1.59840040954843341921e-06,5000000000,94000000000,1.0001,20000.0,1.0e-06,32,94000000000,95000000000,623968,2.17140864,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(48,0,'sim-48','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.85081491850814927602e+04,1.84698714177892506999e+04,5000000000,96000000000,1.0001,20000.0,1.0e-06,32,96000000000,97000000000,9255,1.07825242718446601131e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}');
INSERT INTO "results" VALUES(49,0,'sim-49','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.03949605039496054809e+04,1.0411510174477954933e+04,5000000000,98000000000,1.0001,20000.0,1.0e-06,32,98000000000,99000000000,10396,1.01941359223300986869e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(50,0,'sim-50','os','context-switch','{"size":67108864}',1,'s','lower',3.28681854631978856711e-06,3.28568833459942825046e-06,5000000000,100000000000,1.0001,20000.0,1.0e-06,32,100000000000,101000000000,304276,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(51,0,'sim-51','os','context-switch','{"size":67108864}',1,'s','lower',1.63422242484554045881e-06,1.62581003516428293249e-06,5000000000,102000000000,1.0001,20000.0,1.0e-06,32,102000000000,103000000000,611973,2.12966604,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(52,0,'sim-52','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.0255974402559744703e+04,1.02436135938009483653e+04,5000000000,104000000000,1.0001,20000.0,1.0e-06,32,104000000000,105000000000,10257,9.95825242718446634881e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(53,0,'sim-53','os','context-switch','{"size":67108864}',1,'s','lower',2.90095112676178903503e-06,2.89647964119544425133e-06,5000000000,106000000000,1.0001,20000.0,1.0e-06,32,106000000000,107000000000,344749,1.00976982100000012287e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(54,0,'sim-54','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.52104789521047860031e+03,9.4434052113673260468e+03,5000000000,108000000000,1.0001,20000.0,1.0e-06,32,108000000000,109000000000,9522,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(55,0,'sim-55','os','context-switch','{"size":67108864}',1,'s','lower',2.84856546345798341147e-06,2.87326294055293284977e-06,5000000000,110000000000,1.0001,20000.0,1.0e-06,32,110000000000,111000000000,351089,1.01815810000000017687e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(56,0,'sim-56','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.0265973402659734347e+04,1.02411085957646191672e+04,5000000000,112000000000,1.0001,20000.0,1.0e-06,32,112000000000,113000000000,10267,1.00676407766990294589e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(57,0,'sim-57','os','context-switch','{"size":67108864}',1,'s','lower',3.09189108975171523174e-06,3.08420642264635458808e-06,5000000000,114000000000,1.0001,20000.0,1.0e-06,32,114000000000,115000000000,323459,1.8760622,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(59,0,'sim-59','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.88321167883211674056e+04,1.86341213892213672809e+04,5000000000,118000000000,1.0001,20000.0,1.0e-06,32,118000000000,119000000000,18834,2.19425242718446611434e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}');
INSERT INTO "results" VALUES(60,0,'sim-60','disk','random-read','{"size":67108864}',1,'IO/s','higher',10299.9700029997,1.0240361258922288471e+04,5000000000,120000000000,1.0001,20000.0,1.0e-06,32,120000000000,121000000000,10301,1.01009805825242726662e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(61,0,'sim-61','os','context-switch','{"size":67108864}',1,'s','lower',3.16678752030499448873e-06,3.18969905197992498495e-06,5000000000,122000000000,1.0001,20000.0,1.0e-06,32,122000000000,123000000000,315809,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(62,0,'sim-62','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.27807219278072261691e+03,9.20539289444098176359e+03,5000000000,124000000000,1.0001,20000.0,1.0e-06,32,124000000000,125000000000,9279,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(63,0,'sim-63','os','context-switch','{"size":67108864}',1,'s','lower',3.08752886550834181956e-06,3.10560604168866294491e-06,5000000000,126000000000,1.0001,20000.0,1.0e-06,32,126000000000,127000000000,323916,1.87871280000000018262e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(64,0,'sim-64','os','context-switch','{"size":67108864}',1,'s','lower',2.93695286368321657067e-06,2.93319957751525753498e-06,5000000000,128000000000,1.0001,20000.0,1.0e-06,32,128000000000,129000000000,340523,0.997391867,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(66,0,'sim-66','os','context-switch','{"size":67108864}',1,'s','lower',2.87654526941905356648e-06,2.87515658063880181535e-06,5000000000,132000000000,1.0001,20000.0,1.0e-06,32,132000000000,133000000000,347674,1.00825460000000011184e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(67,0,'sim-67','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.06469353064693532362e+04,1.05896828585631610619e+04,5000000000,134000000000,1.0001,20000.0,1.0e-06,32,134000000000,135000000000,10648,1.03378640776699026737e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}');
INSERT INTO "results" VALUES(68,0,'sim-68','os','context-switch','{"size":67108864}',1,'s','lower',1.62464931389797237262e-06,1.63252687552312904465e-06,5000000000,136000000000,1.0001,20000.0,1.0e-06,32,136000000000,137000000000,615579,2.14221492,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}');
INSERT INTO "results" VALUES(69,0,'sim-69','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.82251774822517763818e+04,1.81407796550137136361e+04,5000000000,138000000000,1.0001,20000.0,1.0e-06,32,138000000000,139000000000,18227,2.12353398058252418323e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}');
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
	FOREIGN KEY(trial, placement) REFERENCES results (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "samples" VALUES(0,0,0,5000000000,5500000000,175078,'ok',1,'');
INSERT INTO "samples" VALUES(0,0,1,5500000000,6000000000,176636,'ok',1,'');
INSERT INTO "samples" VALUES(1,0,0,5000000000,5500000000,5101,'ok',1,'');
INSERT INTO "samples" VALUES(1,0,1,5500000000,6000000000,5115,'ok',1,'');
INSERT INTO "samples" VALUES(2,0,0,5000000000,5500000000,170022,'ok',1,'');
INSERT INTO "samples" VALUES(2,0,1,5500000000,6000000000,166763,'ok',1,'');
INSERT INTO "samples" VALUES(3,0,0,5000000000,5500000000,307013,'ok',1,'');
INSERT INTO "samples" VALUES(3,0,1,5500000000,6000000000,308656,'ok',1,'');
INSERT INTO "samples" VALUES(4,0,0,5000000000,5500000000,9159,'ok',1,'');
INSERT INTO "samples" VALUES(4,0,1,5500000000,6000000000,9276,'ok',1,'');
INSERT INTO "samples" VALUES(5,0,0,5000000000,5500000000,4605,'ok',1,'');
INSERT INTO "samples" VALUES(5,0,1,5500000000,6000000000,4651,'ok',1,'');
INSERT INTO "samples" VALUES(6,0,0,5000000000,5500000000,5108,'ok',1,'');
INSERT INTO "samples" VALUES(6,0,1,5500000000,6000000000,5180,'ok',1,'');
INSERT INTO "samples" VALUES(7,0,0,5000000000,5500000000,165121,'ok',1,'');
INSERT INTO "samples" VALUES(7,0,1,5500000000,6000000000,163288,'ok',1,'');
INSERT INTO "samples" VALUES(8,0,0,5000000000,5500000000,155082,'ok',1,'');
INSERT INTO "samples" VALUES(8,0,1,5500000000,6000000000,154669,'ok',1,'');
INSERT INTO "samples" VALUES(10,0,0,5000000000,5500000000,176389,'ok',1,'');
INSERT INTO "samples" VALUES(10,0,1,5500000000,6000000000,175591,'ok',1,'');
INSERT INTO "samples" VALUES(13,0,0,5000000000,5500000000,172432,'ok',1,'');
INSERT INTO "samples" VALUES(13,0,1,5500000000,6000000000,168963,'ok',1,'');
INSERT INTO "samples" VALUES(14,0,0,5000000000,5500000000,5125,'ok',1,'');
INSERT INTO "samples" VALUES(14,0,1,5500000000,6000000000,5188,'ok',1,'');
INSERT INTO "samples" VALUES(15,0,0,5000000000,5500000000,5127,'ok',1,'');
INSERT INTO "samples" VALUES(15,0,1,5500000000,6000000000,5034,'ok',1,'');
INSERT INTO "samples" VALUES(16,0,0,5000000000,5500000000,162961,'ok',1,'');
INSERT INTO "samples" VALUES(16,0,1,5500000000,6000000000,166735,'ok',1,'');
INSERT INTO "samples" VALUES(17,0,0,5000000000,5500000000,316182,'ok',1,'');
INSERT INTO "samples" VALUES(17,0,1,5500000000,6000000000,310574,'ok',1,'');
INSERT INTO "samples" VALUES(18,0,0,5000000000,5500000000,4714,'ok',1,'');
INSERT INTO "samples" VALUES(18,0,1,5500000000,6000000000,4646,'ok',1,'');
INSERT INTO "samples" VALUES(19,0,0,5000000000,5500000000,9389,'ok',1,'');
INSERT INTO "samples" VALUES(19,0,1,5500000000,6000000000,9227,'ok',1,'');
INSERT INTO "samples" VALUES(20,0,0,5000000000,5500000000,4600,'ok',1,'');
INSERT INTO "samples" VALUES(20,0,1,5500000000,6000000000,4682,'ok',1,'');
INSERT INTO "samples" VALUES(21,0,0,5000000000,5500000000,5023,'ok',0,'clock error ±0.60% exceeds the limit of 0.50%');
INSERT INTO "samples" VALUES(21,0,1,5500000000,6000000000,5019,'ok',1,'');
INSERT INTO "samples" VALUES(22,0,0,5000000000,5500000000,170140,'ok',1,'');
INSERT INTO "samples" VALUES(22,0,1,5500000000,6000000000,169105,'ok',1,'');
INSERT INTO "samples" VALUES(23,0,0,5000000000,5500000000,315215,'ok',1,'');
INSERT INTO "samples" VALUES(23,0,1,5500000000,6000000000,310597,'ok',1,'');
INSERT INTO "samples" VALUES(24,0,0,5000000000,5500000000,5116,'ok',1,'');
INSERT INTO "samples" VALUES(24,0,1,5500000000,6000000000,5024,'ok',1,'');
INSERT INTO "samples" VALUES(25,0,0,5000000000,5500000000,164311,'ok',1,'');
INSERT INTO "samples" VALUES(25,0,1,5500000000,6000000000,163592,'ok',1,'');
INSERT INTO "samples" VALUES(27,0,0,5000000000,5500000000,157349,'ok',1,'');
INSERT INTO "samples" VALUES(27,0,1,5500000000,6000000000,154456,'ok',1,'');
INSERT INTO "samples" VALUES(28,0,0,5000000000,5500000000,171421,'ok',1,'');
INSERT INTO "samples" VALUES(28,0,1,5500000000,6000000000,174242,'ok',1,'');
INSERT INTO "samples" VALUES(29,0,0,5000000000,5500000000,9262,'ok',1,'');
INSERT INTO "samples" VALUES(29,0,1,5500000000,6000000000,9195,'ok',1,'');
INSERT INTO "samples" VALUES(31,0,0,5000000000,5500000000,170041,'ok',1,'');
INSERT INTO "samples" VALUES(31,0,1,5500000000,6000000000,167863,'ok',1,'');
INSERT INTO "samples" VALUES(32,0,0,5000000000,5500000000,9356,'ok',1,'');
INSERT INTO "samples" VALUES(32,0,1,5500000000,6000000000,9297,'ok',1,'');
INSERT INTO "samples" VALUES(33,0,0,5000000000,5500000000,309230,'ok',1,'');
INSERT INTO "samples" VALUES(33,0,1,5500000000,6000000000,312467,'ok',1,'');
INSERT INTO "samples" VALUES(34,0,0,5000000000,5500000000,153025,'ok',1,'');
INSERT INTO "samples" VALUES(34,0,1,5500000000,6000000000,154170,'ok',1,'');
INSERT INTO "samples" VALUES(36,0,0,5000000000,5500000000,5184,'ok',1,'');
INSERT INTO "samples" VALUES(36,0,1,5500000000,6000000000,5261,'ok',1,'');
INSERT INTO "samples" VALUES(37,0,0,5000000000,5500000000,4572,'ok',1,'');
INSERT INTO "samples" VALUES(37,0,1,5500000000,6000000000,4574,'ok',1,'');
INSERT INTO "samples" VALUES(38,0,0,5000000000,5500000000,173190,'ok',1,'');
INSERT INTO "samples" VALUES(38,0,1,5500000000,6000000000,171526,'ok',1,'');
INSERT INTO "samples" VALUES(39,0,0,5000000000,5500000000,164891,'ok',1,'');
INSERT INTO "samples" VALUES(39,0,1,5500000000,6000000000,164190,'ok',1,'');
INSERT INTO "samples" VALUES(41,0,0,5000000000,5500000000,156076,'ok',1,'');
INSERT INTO "samples" VALUES(41,0,1,5500000000,6000000000,153554,'ok',1,'');
INSERT INTO "samples" VALUES(42,0,0,5000000000,5500000000,165656,'ok',1,'');
INSERT INTO "samples" VALUES(42,0,1,5500000000,6000000000,165387,'ok',1,'');
INSERT INTO "samples" VALUES(43,0,0,5000000000,5500000000,169783,'ok',1,'');
INSERT INTO "samples" VALUES(43,0,1,5500000000,6000000000,167300,'ok',1,'');
INSERT INTO "samples" VALUES(44,0,0,5000000000,5500000000,4778,'ok',1,'');
INSERT INTO "samples" VALUES(44,0,1,5500000000,6000000000,4676,'ok',1,'');
INSERT INTO "samples" VALUES(45,0,0,5000000000,5500000000,170113,'ok',1,'');
INSERT INTO "samples" VALUES(45,0,1,5500000000,6000000000,167001,'ok',1,'');
INSERT INTO "samples" VALUES(46,0,0,5000000000,5500000000,5102,'ok',1,'');
INSERT INTO "samples" VALUES(46,0,1,5500000000,6000000000,5211,'ok',1,'');
INSERT INTO "samples" VALUES(47,0,0,5000000000,5500000000,312020,'ok',1,'');
INSERT INTO "samples" VALUES(47,0,1,5500000000,6000000000,311948,'ok',1,'');
INSERT INTO "samples" VALUES(48,0,0,5000000000,5500000000,9151,'ok',0,'outside the stretch in which all measured placements overlap');
INSERT INTO "samples" VALUES(48,0,1,5500000000,6000000000,9255,'ok',1,'');
INSERT INTO "samples" VALUES(49,0,0,5000000000,5500000000,5238,'ok',1,'');
INSERT INTO "samples" VALUES(49,0,1,5500000000,6000000000,5158,'ok',1,'');
INSERT INTO "samples" VALUES(50,0,0,5000000000,5500000000,153576,'ok',1,'');
INSERT INTO "samples" VALUES(50,0,1,5500000000,6000000000,150700,'ok',1,'');
INSERT INTO "samples" VALUES(51,0,0,5000000000,5500000000,311696,'ok',1,'');
INSERT INTO "samples" VALUES(51,0,1,5500000000,6000000000,300277,'ok',1,'');
INSERT INTO "samples" VALUES(52,0,0,5000000000,5500000000,5102,'ok',1,'');
INSERT INTO "samples" VALUES(52,0,1,5500000000,6000000000,5155,'ok',1,'');
INSERT INTO "samples" VALUES(53,0,0,5000000000,5500000000,172226,'ok',1,'');
INSERT INTO "samples" VALUES(53,0,1,5500000000,6000000000,172523,'ok',1,'');
INSERT INTO "samples" VALUES(54,0,0,5000000000,5500000000,4825,'ok',1,'');
INSERT INTO "samples" VALUES(54,0,1,5500000000,6000000000,4697,'ok',1,'');
INSERT INTO "samples" VALUES(55,0,0,5000000000,5500000000,178767,'ok',1,'');
INSERT INTO "samples" VALUES(55,0,1,5500000000,6000000000,172322,'ok',1,'');
INSERT INTO "samples" VALUES(56,0,0,5000000000,5500000000,5122,'ok',1,'');
INSERT INTO "samples" VALUES(56,0,1,5500000000,6000000000,5145,'ok',1,'');
INSERT INTO "samples" VALUES(57,0,0,5000000000,5500000000,162751,'ok',1,'');
INSERT INTO "samples" VALUES(57,0,1,5500000000,6000000000,160708,'ok',1,'');
INSERT INTO "samples" VALUES(59,0,0,5000000000,5500000000,9340,'ok',1,'');
INSERT INTO "samples" VALUES(59,0,1,5500000000,6000000000,9494,'ok',1,'');
INSERT INTO "samples" VALUES(60,0,0,5000000000,5500000000,5120,'ok',1,'');
INSERT INTO "samples" VALUES(60,0,1,5500000000,6000000000,5181,'ok',1,'');
INSERT INTO "samples" VALUES(61,0,0,5000000000,5500000000,157803,'ok',1,'');
INSERT INTO "samples" VALUES(61,0,1,5500000000,6000000000,158006,'ok',1,'');
INSERT INTO "samples" VALUES(62,0,0,5000000000,5500000000,4594,'ok',1,'');
INSERT INTO "samples" VALUES(62,0,1,5500000000,6000000000,4685,'ok',1,'');
INSERT INTO "samples" VALUES(63,0,0,5000000000,5500000000,162382,'ok',1,'');
INSERT INTO "samples" VALUES(63,0,1,5500000000,6000000000,161534,'ok',1,'');
INSERT INTO "samples" VALUES(64,0,0,5000000000,5500000000,170223,'ok',1,'');
INSERT INTO "samples" VALUES(64,0,1,5500000000,6000000000,170300,'ok',1,'');
INSERT INTO "samples" VALUES(66,0,0,5000000000,5500000000,173913,'ok',1,'');
INSERT INTO "samples" VALUES(66,0,1,5500000000,6000000000,173761,'ok',1,'');
INSERT INTO "samples" VALUES(67,0,0,5000000000,5500000000,5285,'ok',1,'');
INSERT INTO "samples" VALUES(67,0,1,5500000000,6000000000,5363,'ok',1,'');
INSERT INTO "samples" VALUES(68,0,0,5000000000,5500000000,305703,'ok',1,'');
INSERT INTO "samples" VALUES(68,0,1,5500000000,6000000000,309876,'ok',1,'');
INSERT INTO "samples" VALUES(69,0,0,5000000000,5500000000,9079,'ok',1,'');
INSERT INTO "samples" VALUES(69,0,1,5500000000,6000000000,9148,'ok',1,'');
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
INSERT INTO "trials" VALUES(0,'done','','2026-01-02T03:00:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(1,'done','','2026-01-02T03:00:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(2,'done','','2026-01-02T03:00:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','["steal: 7.1% of the host''s processor time went to others (the plan allows 5.0%)"]');
INSERT INTO "trials" VALUES(3,'done','','2026-01-02T03:00:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(4,'done','','2026-01-02T03:00:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(5,'done','','2026-01-02T03:00:10.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(6,'done','','2026-01-02T03:00:12.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(7,'done','','2026-01-02T03:00:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(8,'done','','2026-01-02T03:00:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(9,'failed','not available here: this environment has no disk','2026-01-02T03:00:18.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(10,'done','','2026-01-02T03:00:20.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(11,'failed','not available here: this environment has no disk','2026-01-02T03:00:22.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(12,'failed','slow: the guest ended in the middle of the trial','2026-01-02T03:00:24.000+00:00',1.25,0,NULL,'[]');
INSERT INTO "trials" VALUES(13,'done','','2026-01-02T03:00:26.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(14,'done','','2026-01-02T03:00:28.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(15,'done','','2026-01-02T03:00:30.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(16,'done','','2026-01-02T03:00:32.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(17,'done','','2026-01-02T03:00:34.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(18,'done','','2026-01-02T03:00:36.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(19,'done','','2026-01-02T03:00:38.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(20,'done','','2026-01-02T03:00:40.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(21,'done','','2026-01-02T03:00:42.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(22,'done','','2026-01-02T03:00:44.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(23,'done','','2026-01-02T03:00:46.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(24,'done','','2026-01-02T03:00:48.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(25,'done','','2026-01-02T03:00:50.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(26,'failed','not available here: this environment has no disk','2026-01-02T03:00:52.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(27,'done','','2026-01-02T03:00:54.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(28,'done','','2026-01-02T03:00:56.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','["swap: 3 pages","memory: 10 MiB were free"]');
INSERT INTO "trials" VALUES(29,'done','','2026-01-02T03:00:58.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(30,'failed','the measured placements never ran at the same time','2026-01-02T03:01:00.000+00:00',1.25,0,NULL,'[]');
INSERT INTO "trials" VALUES(31,'done','','2026-01-02T03:01:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(32,'done','','2026-01-02T03:01:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(33,'done','','2026-01-02T03:01:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(34,'done','','2026-01-02T03:01:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(35,'failed','not available here: this environment has no disk','2026-01-02T03:01:10.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(36,'done','','2026-01-02T03:01:12.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(37,'done','','2026-01-02T03:01:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(38,'done','','2026-01-02T03:01:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(39,'done','','2026-01-02T03:01:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(40,'failed','not available here: this environment has no disk','2026-01-02T03:01:20.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(41,'done','','2026-01-02T03:01:22.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(42,'done','','2026-01-02T03:01:24.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(43,'done','','2026-01-02T03:01:26.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(44,'done','','2026-01-02T03:01:28.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(45,'done','','2026-01-02T03:01:30.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(46,'done','','2026-01-02T03:01:32.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(47,'done','','2026-01-02T03:01:34.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(48,'done','','2026-01-02T03:01:36.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(49,'done','','2026-01-02T03:01:38.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(50,'done','','2026-01-02T03:01:40.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(51,'done','','2026-01-02T03:01:42.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(52,'done','','2026-01-02T03:01:44.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(53,'done','','2026-01-02T03:01:46.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(54,'done','','2026-01-02T03:01:48.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(55,'done','','2026-01-02T03:01:50.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(56,'done','','2026-01-02T03:01:52.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(57,'done','','2026-01-02T03:01:54.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(58,'failed','not available here: this environment has no disk','2026-01-02T03:01:56.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(59,'done','','2026-01-02T03:01:58.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(60,'done','','2026-01-02T03:02:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(61,'done','','2026-01-02T03:02:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(62,'done','','2026-01-02T03:02:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(63,'done','','2026-01-02T03:02:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(64,'done','','2026-01-02T03:02:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(65,'failed','not available here: this environment has no disk','2026-01-02T03:02:10.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(66,'done','','2026-01-02T03:02:12.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(67,'done','','2026-01-02T03:02:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(68,'done','','2026-01-02T03:02:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(69,'done','','2026-01-02T03:02:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
COMMIT;
