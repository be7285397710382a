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
INSERT INTO "campaign" VALUES(1,'virtometer: 1
name: simulated
','{"virtometer":1,"name":"simulated","question":"What does each environment cost?","environments":[{"name":"native","kind":"native","settings":{},"timing":"auto"},{"name":"user-mode Linux","kind":"uml","settings":{},"timing":"auto"},{"name":"liar","kind":"qemu","settings":{},"timing":"auto"},{"name":"bare","kind":"runc","settings":{},"timing":"auto"},{"name":"KVM","kind":"kvm","settings":{},"timing":"auto"}],"baseline":"native","workloads":[{"name":"disk 4k random read","workload":"disk","op":"random-read","parameters":{},"threads":1,"seconds":null,"factors":{}},{"name":"context switch","workload":"os","op":"context-switch","parameters":{},"threads":1,"seconds":null,"factors":{}}],"scenario":"alone","blocks":6,"seconds":1.0,"fresh":"trial","unavailable":"refuse","seed":null,"margin":0.05,"disk_span":536870912,"limits":{"start_s":60.0,"prepare_s":60.0,"run_extra_s":30.0,"answer_s":10.0,"clock_error":0.005},"rules":{"max_steal_share":0.05,"max_swap_pages":0,"min_free_memory_bytes":268435456,"max_stall_share":0.1}}',5,'2026-01-02T03:04:05.678+00:00','{"cpu_model":"Simulated 3000","cpus_online":2,"kernel":"6.1"}','{"virtometer":"0.1.0","agent":"0.1.0"}');
CREATE TABLE commands (
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	argv_json TEXT NOT NULL, 
	status INTEGER, 
	PRIMARY KEY (position)
);
CREATE TABLE entries (
	entry INTEGER NOT NULL, 
	trial INTEGER, 
	guests INTEGER NOT NULL, 
	commands INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	PRIMARY KEY (entry), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "entries" VALUES(1,NULL,0,0,'7ba4356015631dbdc5bfea39e67fa36dd2e4de5c6c6b4f2b26d08176dc1d9403');
INSERT INTO "entries" VALUES(2,0,1,0,'818ca88e0cb4e4d6a61f49141848b37ac7b13211eb8c3fa57c785cab1a42e0ca');
INSERT INTO "entries" VALUES(3,1,2,0,'0b76f6736a06657ba9f7db7abd6b820d23839c929fca00abaff20e7776c4c529');
INSERT INTO "entries" VALUES(4,2,3,0,'e3272d05d8c548979ea465575ff9e7e0b3ddabe9db5b961f3dc7c1fc2d4ebabc');
INSERT INTO "entries" VALUES(5,3,4,0,'3389899d030e6c7dcdfa52b51c7254bc00dcc10627d25f098038df0371d66f1d');
INSERT INTO "entries" VALUES(6,4,5,0,'b78382be444846f6d0ef916cb106be5e809723e493cb0ed011e6ed909a0391e3');
INSERT INTO "entries" VALUES(7,5,6,0,'9b82c1c9570ddfe9078362235fab32b3eabd3748edc8ae91ac0f3770af67fc99');
INSERT INTO "entries" VALUES(8,6,7,0,'f5da242568d1d12189242bbbdcbaea3077a16819a186ecd020ba99f5c40d48af');
INSERT INTO "entries" VALUES(9,7,8,0,'f3e8eb6791d3389125e697fa1493b61b8dc51a01971ad73ebd60846b4320035c');
INSERT INTO "entries" VALUES(10,8,9,0,'f3228617d444df4e814d758c2215d606256f44e761d427bad4272118e81de006');
INSERT INTO "entries" VALUES(11,9,10,0,'261ed9ebbec1aca2c5b2b0ea4c61f709eb446bf3b27307759b808f4144df7da4');
INSERT INTO "entries" VALUES(12,10,11,0,'6278c8ca371ec488f3cbb152693ff1528b9bbaa46bc4de83ae7b867dab1a9301');
INSERT INTO "entries" VALUES(13,11,12,0,'6842632d5445194565623458270aeda9baa051b9284999a5c504f667ebabe6fb');
INSERT INTO "entries" VALUES(14,12,13,0,'c5d78cd834f0da67d8f57368243df010a2480e673e1cf55014e87bdb7386f853');
INSERT INTO "entries" VALUES(15,13,14,0,'c16be1e35c3673fa9f6c357d28777fa6f9c19ab0c8a274c2ffb03eb3eac7c519');
INSERT INTO "entries" VALUES(16,14,15,0,'bd92d41549fd05eaf2aaf6fc9a46d7ad41f99dc67b5e595544645d58ba009b01');
INSERT INTO "entries" VALUES(17,15,16,0,'dc606f49ed90d2ea896075dca00c2d82d7cbe9cfca584767e4fadd0d0fdcc5b8');
INSERT INTO "entries" VALUES(18,16,17,0,'2bc26d4e67e8dbc549abc080f607307cefeb8bf20fb32ac08029129251a4cc3f');
INSERT INTO "entries" VALUES(19,17,18,0,'09ab8bbf22ad771b8a069e208e982b8a13f2d9f4ae1c16cdcad95df0e1f90aee');
INSERT INTO "entries" VALUES(20,18,19,0,'61da7c7965e1bc1d26df11308d33fdc8609731aaacdc01a30055ad004b0a197e');
INSERT INTO "entries" VALUES(21,19,20,0,'4e7f60b6a4722a17034298e93b785b87a2ebd1e16d3e5732dc18b4443a1e3518');
INSERT INTO "entries" VALUES(22,20,21,0,'15a3014d89368a2d4feec4d8a7794099eee3f16f38fca6c565665bcd2dc77f55');
INSERT INTO "entries" VALUES(23,21,22,0,'efc924c6c9f6ed3dc8716ca9c394960a8ae7fd1022ae543b99c8dee4ff228ae0');
INSERT INTO "entries" VALUES(24,22,23,0,'33e159de49a2f52c814ac5f13c9e41c79c856d9bae9b9abc890219e8753a2950');
INSERT INTO "entries" VALUES(25,23,24,0,'fef8bdadd91f1b9e6d17f6f2ba27ee1e866fda4bb3098b35c8778a35373d4f4a');
INSERT INTO "entries" VALUES(26,24,25,0,'e02ac1b331672a11c01f0d89998dd612fe0afecffd0d8b4ba7735f247965f4d7');
INSERT INTO "entries" VALUES(27,25,26,0,'17bd4740a89a5b9957f1d4c7184b62ec6e43a0d0a0ceba6347f15fb0b6e916a1');
INSERT INTO "entries" VALUES(28,26,27,0,'9c51ce18fbfa7f91327da31ba2bd8600e8eea3b555617039b4b99eafc4318337');
INSERT INTO "entries" VALUES(29,27,28,0,'fe759a579f0f21ee8f11bb83d7a22aeafac9a255e630a080d9cb53be07ba96b5');
INSERT INTO "entries" VALUES(30,28,29,0,'7bc912756fa6420ff31b05db4b9fd74f125a0915989afe8951c6945ca4350839');
INSERT INTO "entries" VALUES(31,29,30,0,'610e1cd8c2b3af47f40ae1a793c8a210a53f47347d3f40b4896af1470a93cdd0');
INSERT INTO "entries" VALUES(32,30,31,0,'eb18b65944d72b97f31460fc5d4f72ed735512a7566e65c829d6edb28b8e9a87');
INSERT INTO "entries" VALUES(33,31,32,0,'663857252c62ad24584905405663bcabe6cb1ace4ee2bc6ad9485620f3cc2f86');
INSERT INTO "entries" VALUES(34,32,33,0,'00162fbeafe7f48b10acd5c03753f56776f74f02d5721c84d2188d2d27ababf0');
INSERT INTO "entries" VALUES(35,33,34,0,'726f32221da4a4ec21953408e6abcd3b77c470ad6d02a34fa14141c54937b691');
INSERT INTO "entries" VALUES(36,34,35,0,'37078e062157b67db0e687e3c41b48072516a0ccc9d997eb75ef4881ec141275');
INSERT INTO "entries" VALUES(37,35,36,0,'5b50ba96e6140d2b6b28ec16cf3800d537a0b6966e082b2a4fbe54746ec7a9f3');
INSERT INTO "entries" VALUES(38,36,37,0,'fd102c9991e7a19136ea46577d59537ffe0b46829694ea315b5f1dcec3542c29');
INSERT INTO "entries" VALUES(39,37,38,0,'be180a9622e57bc1e15be1de11b59fd378468f119c3f3489b922c554d1fdeb3f');
INSERT INTO "entries" VALUES(40,38,39,0,'64022228ee1ad711d323b0f0a3ed7970ca091593bd9fc018181388470c899bdc');
INSERT INTO "entries" VALUES(41,39,40,0,'045ddba8447d060bc5e6ce1d8ab0f9014e0a25ce022db406466a3f3a675c8880');
INSERT INTO "entries" VALUES(42,40,41,0,'efcec49768cae0820d59c4ab9da3513fbfbba48d552296df270aaee80a653838');
INSERT INTO "entries" VALUES(43,41,42,0,'71eb884d7c24b12e79d8068362d73ba40e438987b3652644d7ca14431ded90e2');
INSERT INTO "entries" VALUES(44,42,43,0,'67cf97b570a167e895aaa384f6bea96a0113b8c074b4d25401aad2db59f68a65');
INSERT INTO "entries" VALUES(45,43,44,0,'3f2eac809abbba5a0da7227fad55f4e1badf2801a2fc5d7f4c0671269bbe3722');
INSERT INTO "entries" VALUES(46,44,45,0,'9458aca08dcdc05ee3bb4b2c9ab4b569180a908af5bf7e083671159ddeee8b6a');
INSERT INTO "entries" VALUES(47,45,46,0,'41469ab8f332e0d961e02085aa0a602663a17872b90593b35102386a074a645a');
INSERT INTO "entries" VALUES(48,46,47,0,'bdd6f2c9c3c33ee8a4b8fdb5c0cc02b804967441d282a9236d09b221470e763c');
INSERT INTO "entries" VALUES(49,47,48,0,'8cdc3af9934a8596e40abe7a95e1571a120e8c43eb8c98c5cb1d4672e8921e3f');
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
INSERT INTO "environments" VALUES(2,'liar','qemu',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(3,'bare','runc',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(4,'KVM','kvm',0,'no','','{"disk":true}');
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
INSERT INTO "evidence" VALUES(15,0,'sim-15','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}','{"unit":"IO/s","better":"higher","value":9681.77563897924,"check":{"kind":"checksum","value":"ok","passed":true},"count":2,"stopped":false,"cpu":{"user_ns":1,"system_ns":2},"conditions":{},"measures":{},"histograms":{},"output":null}','stepped',-3.0,0.4,NULL);
INSERT INTO "evidence" VALUES(21,0,'sim-21','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}','{"unit":"IO/s","better":"higher","value":9003.8502213053,"check":{"kind":"checksum","value":"ok","passed":true},"count":2,"stopped":false,"cpu":{"user_ns":1,"system_ns":2},"conditions":{},"measures":{},"histograms":{},"output":null}','stepped',-3.0,0.4,NULL);
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
INSERT INTO "guests" VALUES(1,'sim-0','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:00.000+00:00');
INSERT INTO "guests" VALUES(2,'sim-1','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:02.000+00:00');
INSERT INTO "guests" VALUES(3,'sim-2','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:04.000+00:00');
INSERT INTO "guests" VALUES(4,'sim-3','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:06.000+00:00');
INSERT INTO "guests" VALUES(5,'sim-4','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:08.000+00:00');
INSERT INTO "guests" VALUES(6,'sim-5','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:10.000+00:00');
INSERT INTO "guests" VALUES(7,'sim-6','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:12.000+00:00');
INSERT INTO "guests" VALUES(8,'sim-7','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:14.000+00:00');
INSERT INTO "guests" VALUES(9,'sim-8','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:16.000+00:00');
INSERT INTO "guests" VALUES(10,'sim-9','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:18.000+00:00');
INSERT INTO "guests" VALUES(11,'sim-10','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:20.000+00:00');
INSERT INTO "guests" VALUES(12,'sim-11','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:22.000+00:00');
INSERT INTO "guests" VALUES(13,'sim-12','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:24.000+00:00');
INSERT INTO "guests" VALUES(14,'sim-13','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:26.000+00:00');
INSERT INTO "guests" VALUES(15,'sim-14','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:28.000+00:00');
INSERT INTO "guests" VALUES(16,'sim-15','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:30.000+00:00');
INSERT INTO "guests" VALUES(17,'sim-16','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:32.000+00:00');
INSERT INTO "guests" VALUES(18,'sim-17','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:34.000+00:00');
INSERT INTO "guests" VALUES(19,'sim-18','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:36.000+00:00');
INSERT INTO "guests" VALUES(20,'sim-19','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:38.000+00:00');
INSERT INTO "guests" VALUES(21,'sim-20','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:40.000+00:00');
INSERT INTO "guests" VALUES(22,'sim-21','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:42.000+00:00');
INSERT INTO "guests" VALUES(23,'sim-22','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:44.000+00:00');
INSERT INTO "guests" VALUES(24,'sim-23','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:46.000+00:00');
INSERT INTO "guests" VALUES(25,'sim-24','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:48.000+00:00');
INSERT INTO "guests" VALUES(26,'sim-25','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:50.000+00:00');
INSERT INTO "guests" VALUES(27,'sim-26','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:52.000+00:00');
INSERT INTO "guests" VALUES(28,'sim-27','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:54.000+00:00');
INSERT INTO "guests" VALUES(29,'sim-28','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:56.000+00:00');
INSERT INTO "guests" VALUES(30,'sim-29','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:58.000+00:00');
INSERT INTO "guests" VALUES(31,'sim-30','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:00.000+00:00');
INSERT INTO "guests" VALUES(32,'sim-31','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:02.000+00:00');
INSERT INTO "guests" VALUES(33,'sim-32','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:04.000+00:00');
INSERT INTO "guests" VALUES(34,'sim-33','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:06.000+00:00');
INSERT INTO "guests" VALUES(35,'sim-34','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:08.000+00:00');
INSERT INTO "guests" VALUES(36,'sim-35','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:10.000+00:00');
INSERT INTO "guests" VALUES(37,'sim-36','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:12.000+00:00');
INSERT INTO "guests" VALUES(38,'sim-37','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:14.000+00:00');
INSERT INTO "guests" VALUES(39,'sim-38','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:16.000+00:00');
INSERT INTO "guests" VALUES(40,'sim-39','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:18.000+00:00');
INSERT INTO "guests" VALUES(41,'sim-40','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:20.000+00:00');
INSERT INTO "guests" VALUES(42,'sim-41','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:22.000+00:00');
INSERT INTO "guests" VALUES(43,'sim-42','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:24.000+00:00');
INSERT INTO "guests" VALUES(44,'sim-43','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:26.000+00:00');
INSERT INTO "guests" VALUES(45,'sim-44','bare','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:28.000+00:00');
INSERT INTO "guests" VALUES(46,'sim-45','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:30.000+00:00');
INSERT INTO "guests" VALUES(47,'sim-46','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:32.000+00:00');
INSERT INTO "guests" VALUES(48,'sim-47','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:34.000+00:00');
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
INSERT INTO "placements" VALUES(0,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(1,0,'liar','disk 4k random read','measured');
INSERT INTO "placements" VALUES(2,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(3,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(4,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(5,0,'liar','context switch','measured');
INSERT INTO "placements" VALUES(6,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(7,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(8,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(9,0,'liar','context switch','measured');
INSERT INTO "placements" VALUES(10,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(11,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(12,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(13,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(14,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(15,0,'liar','disk 4k random read','measured');
INSERT INTO "placements" VALUES(16,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(17,0,'liar','context switch','measured');
INSERT INTO "placements" VALUES(18,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(19,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(20,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(21,0,'liar','disk 4k random read','measured');
INSERT INTO "placements" VALUES(22,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(23,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(24,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(25,0,'liar','context switch','measured');
INSERT INTO "placements" VALUES(26,0,'liar','disk 4k random read','measured');
INSERT INTO "placements" VALUES(27,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(28,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(29,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(30,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(31,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(32,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(33,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(34,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(35,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(36,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(37,0,'liar','disk 4k random read','measured');
INSERT INTO "placements" VALUES(38,0,'liar','context switch','measured');
INSERT INTO "placements" VALUES(39,0,'user-mode Linux','disk 4k random read','measured');
INSERT INTO "placements" VALUES(40,0,'native','context switch','measured');
INSERT INTO "placements" VALUES(41,0,'user-mode Linux','context switch','measured');
INSERT INTO "placements" VALUES(42,0,'liar','context switch','measured');
INSERT INTO "placements" VALUES(43,0,'bare','context switch','measured');
INSERT INTO "placements" VALUES(44,0,'bare','disk 4k random read','measured');
INSERT INTO "placements" VALUES(45,0,'liar','disk 4k random read','measured');
INSERT INTO "placements" VALUES(46,0,'native','disk 4k random read','measured');
INSERT INTO "placements" VALUES(47,0,'user-mode Linux','disk 4k random read','measured');
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
INSERT INTO "planned" VALUES(8,1,0,8);
INSERT INTO "planned" VALUES(9,1,1,9);
INSERT INTO "planned" VALUES(10,1,2,10);
INSERT INTO "planned" VALUES(11,1,3,11);
INSERT INTO "planned" VALUES(12,1,4,12);
INSERT INTO "planned" VALUES(13,1,5,13);
INSERT INTO "planned" VALUES(14,1,6,14);
INSERT INTO "planned" VALUES(15,1,7,15);
INSERT INTO "planned" VALUES(16,2,0,16);
INSERT INTO "planned" VALUES(17,2,1,17);
INSERT INTO "planned" VALUES(18,2,2,18);
INSERT INTO "planned" VALUES(19,2,3,19);
INSERT INTO "planned" VALUES(20,2,4,20);
INSERT INTO "planned" VALUES(21,2,5,21);
INSERT INTO "planned" VALUES(22,2,6,22);
INSERT INTO "planned" VALUES(23,2,7,23);
INSERT INTO "planned" VALUES(24,3,0,24);
INSERT INTO "planned" VALUES(25,3,1,25);
INSERT INTO "planned" VALUES(26,3,2,26);
INSERT INTO "planned" VALUES(27,3,3,27);
INSERT INTO "planned" VALUES(28,3,4,28);
INSERT INTO "planned" VALUES(29,3,5,29);
INSERT INTO "planned" VALUES(30,3,6,30);
INSERT INTO "planned" VALUES(31,3,7,31);
INSERT INTO "planned" VALUES(32,4,0,32);
INSERT INTO "planned" VALUES(33,4,1,33);
INSERT INTO "planned" VALUES(34,4,2,34);
INSERT INTO "planned" VALUES(35,4,3,35);
INSERT INTO "planned" VALUES(36,4,4,36);
INSERT INTO "planned" VALUES(37,4,5,37);
INSERT INTO "planned" VALUES(38,4,6,38);
INSERT INTO "planned" VALUES(39,4,7,39);
INSERT INTO "planned" VALUES(40,5,0,40);
INSERT INTO "planned" VALUES(41,5,1,41);
INSERT INTO "planned" VALUES(42,5,2,42);
INSERT INTO "planned" VALUES(43,5,3,43);
INSERT INTO "planned" VALUES(44,5,4,44);
INSERT INTO "planned" VALUES(45,5,5,45);
INSERT INTO "planned" VALUES(46,5,6,46);
INSERT INTO "planned" VALUES(47,5,7,47);
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
INSERT INTO "probes" VALUES(15,0,0,0,5,6,10);
INSERT INTO "probes" VALUES(15,0,1,1000000000,1000000005,1000000006,1000000010);
INSERT INTO "probes" VALUES(21,0,0,0,5,6,10);
INSERT INTO "probes" VALUES(21,0,1,1000000000,1000000005,1000000006,1000000010);
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
INSERT INTO "results" VALUES(0,0,'sim-0','os','context-switch','{"size":67108864}',1,'s','lower',3.02097555671012385145e-06,3.00053958141589043962e-06,5000000000,0,1.0001,20000.0,1.0e-06,32,0,1000000000,331052,9.60050800000000092992e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(1,0,'sim-1','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.43405659434056542526e+03,9.48058243527480590251e+03,5000000000,2000000000,1.0001,20000.0,1.0e-06,32,2000000000,3000000000,9435,1.83203883495145625204e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(2,0,'sim-2','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.78772122787721236816e+04,1.80146011482542271545e+04,5000000000,4000000000,1.0001,20000.0,1.0e-06,32,4000000000,5000000000,17879,2.08299029126213586238e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{}','{}');
INSERT INTO "results" VALUES(3,0,'sim-3','os','context-switch','{"size":67108864}',1,'s','lower',1.6162370330148049277e-06,1.60707086954017570683e-06,5000000000,6000000000,1.0001,20000.0,1.0e-06,32,6000000000,7000000000,618783,2.15336484,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(5,0,'sim-5','os','context-switch','{"size":67108864}',1,'s','lower',3.16461303816774579137e-06,3.1540011447774378814e-06,5000000000,10000000000,1.0001,20000.0,1.0e-06,32,10000000000,11000000000,316026,1.8329508,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(7,0,'sim-7','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.03279672032796715941e+04,1.04273590518442870237e+04,5000000000,14000000000,1.0001,20000.0,1.0e-06,32,14000000000,15000000000,10329,1.00281553398058242976e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(8,0,'sim-8','os','context-switch','{"size":67108864}',1,'s','lower',1.62109678925255465504e-06,1.60928100718031216005e-06,5000000000,16000000000,1.0001,20000.0,1.0e-06,32,16000000000,17000000000,616928,2.14690944,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(9,0,'sim-9','os','context-switch','{"size":67108864}',1,'s','lower',3.13249766652258616406e-06,3.11843534984709338468e-06,5000000000,18000000000,1.0001,20000.0,1.0e-06,32,18000000000,19000000000,319266,1.85174280000000024415e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(10,0,'sim-10','os','context-switch','{"size":67108864}',1,'s','lower',3.0297613998521621939e-06,3.00362418143271935229e-06,5000000000,20000000000,1.0001,20000.0,1.0e-06,32,20000000000,21000000000,330092,9.57266800000000084303e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(11,0,'sim-11','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.86801319868013160872e+03,9.96513395783836676816e+03,5000000000,22000000000,1.0001,20000.0,1.0e-06,32,22000000000,23000000000,9869,9.58155339805825234655e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(12,0,'sim-12','os','context-switch','{"size":67108864}',1,'s','lower',2.97220670225032964038e-06,2.96882801966636669897e-06,5000000000,24000000000,1.0001,20000.0,1.0e-06,32,24000000000,25000000000,336484,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(14,0,'sim-14','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.8842115788421157049e+04,1.8955077111082984629e+04,5000000000,28000000000,1.0001,20000.0,1.0e-06,32,28000000000,29000000000,18844,2.1954174757281554875e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{}','{}');
INSERT INTO "results" VALUES(17,0,'sim-17','os','context-switch','{"size":67108864}',1,'s','lower',3.35296858917837e-06,3.35544003126280821272e-06,5000000000,34000000000,1.0001,20000.0,1.0e-06,32,34000000000,35000000000,298273,1.7299834,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(18,0,'sim-18','os','context-switch','{"size":67108864}',1,'s','lower',3.04375878797470292118e-06,3.04483416803109109864e-06,5000000000,36000000000,1.0001,20000.0,1.0e-06,32,36000000000,37000000000,328574,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(19,0,'sim-19','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.03099690030996898708e+04,1.03318833953239864055e+04,5000000000,38000000000,1.0001,20000.0,1.0e-06,32,38000000000,39000000000,10311,1.00106796116504859206e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(20,0,'sim-20','os','context-switch','{"size":67108864}',1,'s','lower',2.78911906116484289356e-06,2.7973632316783262426e-06,5000000000,40000000000,1.0001,20000.0,1.0e-06,32,40000000000,41000000000,358572,1.03985880000000019407e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(22,0,'sim-22','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.77092290770922918454e+04,1.78458004892030439808e+04,5000000000,44000000000,1.0001,20000.0,1.0e-06,32,44000000000,45000000000,17711,2.06341747572815537026e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{}','{}');
INSERT INTO "results" VALUES(23,0,'sim-23','os','context-switch','{"size":67108864}',1,'s','lower',1.60059280029319929688e-06,1.61078433647131500023e-06,5000000000,46000000000,1.0001,20000.0,1.0e-06,32,46000000000,47000000000,624831,2.17441188,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(24,0,'sim-24','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.01429857014298577266e+04,1.0191725697155694433e+04,5000000000,48000000000,1.0001,20000.0,1.0e-06,32,48000000000,49000000000,10144,9.84854368932038815032e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(25,0,'sim-25','os','context-switch','{"size":67108864}',1,'s','lower',3.15702082794062867626e-06,3.15324405054694660252e-06,5000000000,50000000000,1.0001,20000.0,1.0e-06,32,50000000000,51000000000,316786,1.8373588,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(26,0,'sim-26','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.24607539246075430146e+03,9.29797500602722357121e+03,5000000000,52000000000,1.0001,20000.0,1.0e-06,32,52000000000,53000000000,9247,1.795533980582524336e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(27,0,'sim-27','os','context-switch','{"size":67108864}',1,'s','lower',3.15000062993713223413e-06,3.14928622538630247464e-06,5000000000,54000000000,1.0001,20000.0,1.0e-06,32,54000000000,55000000000,317492,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(29,0,'sim-29','os','context-switch','{"size":67108864}',1,'s','lower',1.62822274464856704516e-06,1.61196469167575898041e-06,5000000000,58000000000,1.0001,20000.0,1.0e-06,32,58000000000,59000000000,307114,2.14136928,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(30,0,'sim-30','os','context-switch','{"size":67108864}',1,'s','lower',2.90307317625407462118e-06,2.90418937470641559802e-06,5000000000,60000000000,1.0001,20000.0,1.0e-06,32,60000000000,61000000000,344497,9.99041300000000132008e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(31,0,'sim-31','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.95520447955204472239e+04,1.96131437652210697704e+04,5000000000,62000000000,1.0001,20000.0,1.0e-06,32,62000000000,63000000000,9777,2.28454368932038809347e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{}','{}');
INSERT INTO "results" VALUES(32,0,'sim-32','os','context-switch','{"size":67108864}',1,'s','lower',1.16880400064979e-06,1.17465722010837615686e-06,5000000000,64000000000,1.0001,20000.0,1.0e-06,32,64000000000,65000000000,855661,2.97770028,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(33,0,'sim-33','os','context-switch','{"size":67108864}',1,'s','lower',3.03355688412061446062e-06,3.06862644727388688466e-06,5000000000,66000000000,1.0001,20000.0,1.0e-06,32,66000000000,67000000000,329679,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(34,0,'sim-34','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.04829517048295165295e+04,1.04943713491625785537e+04,5000000000,68000000000,1.0001,20000.0,1.0e-06,32,68000000000,69000000000,10484,1.01786407766990283363e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(35,0,'sim-35','os','context-switch','{"size":67108864}',1,'s','lower',2.83991038139022424326e-06,2.87076801041122e-06,5000000000,70000000000,1.0001,20000.0,1.0e-06,32,70000000000,71000000000,352159,1.0212611,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(37,0,'sim-37','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.41405859414058613764e+03,9.27291300693841185395e+03,5000000000,74000000000,1.0001,20000.0,1.0e-06,32,74000000000,75000000000,9415,1.82815533980582523021e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(38,0,'sim-38','os','context-switch','{"size":67108864}',1,'s','lower',3.14959390047648587823e-06,3.12148587250530945786e-06,5000000000,76000000000,1.0001,20000.0,1.0e-06,32,76000000000,77000000000,317533,1.84169140000000020052e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(39,0,'sim-39','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.8381161883811619191e+04,1.83076671581595583123e+04,5000000000,78000000000,1.0001,20000.0,1.0e-06,32,78000000000,79000000000,18383,2.14170873786407733874e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{}','{}');
INSERT INTO "results" VALUES(40,0,'sim-40','os','context-switch','{"size":67108864}',1,'s','lower',2.92376461370699185357e-06,2.91912333733560417931e-06,5000000000,80000000000,1.0001,20000.0,1.0e-06,32,80000000000,81000000000,342059,9.91971100000000105545e-01,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(41,0,'sim-41','os','context-switch','{"size":67108864}',1,'s','lower',1.56707834921669592986e-06,1.55648426149235973503e-06,5000000000,82000000000,1.0001,20000.0,1.0e-06,32,82000000000,83000000000,638194,2.22091512,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(42,0,'sim-42','os','context-switch','{"size":67108864}',1,'s','lower',3.06492392087157702754e-06,3.06387487923291462082e-06,5000000000,84000000000,1.0001,20000.0,1.0e-06,32,84000000000,85000000000,326305,1.89256900000000016781e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(43,0,'sim-43','os','context-switch','{"size":67108864}',1,'s','lower',3.117926910630443905e-06,3.07226861880818852973e-06,5000000000,86000000000,1.0001,20000.0,1.0e-06,32,86000000000,87000000000,320758,NULL,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2"}','{}','{}');
INSERT INTO "results" VALUES(45,0,'sim-45','disk','random-read','{"size":67108864}',1,'IO/s','higher',9.14608539146085422564e+03,9162.73012660187,5000000000,90000000000,1.0001,20000.0,1.0e-06,32,90000000000,91000000000,9147,1.77611650485436900481e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(46,0,'sim-46','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.03659634036596344226e+04,1.02819790240228139737e+04,5000000000,92000000000,1.0001,20000.0,1.0e-06,32,92000000000,93000000000,10367,1.00650485436893211144e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"direct"}','{}','{}');
INSERT INTO "results" VALUES(47,0,'sim-47','disk','random-read','{"size":67108864}',1,'IO/s','higher',1.79782021797820234501e+04,1.80319149440279325067e+04,5000000000,94000000000,1.0001,20000.0,1.0e-06,32,94000000000,95000000000,17980,2.09475728155339790959e+00,0.98,'{"kind":"checksum","value":"ok","passed":true}','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}','{}','{}');
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
INSERT INTO "samples" VALUES(0,0,0,5000000000,5500000000,165718,'ok',1,'');
INSERT INTO "samples" VALUES(0,0,1,5500000000,6000000000,165334,'ok',1,'');
INSERT INTO "samples" VALUES(1,0,0,5000000000,5500000000,4753,'ok',1,'');
INSERT INTO "samples" VALUES(1,0,1,5500000000,6000000000,4682,'ok',1,'');
INSERT INTO "samples" VALUES(2,0,0,5000000000,5500000000,9026,'ok',1,'');
INSERT INTO "samples" VALUES(2,0,1,5500000000,6000000000,8853,'ok',1,'');
INSERT INTO "samples" VALUES(3,0,0,5000000000,5500000000,309173,'ok',1,'');
INSERT INTO "samples" VALUES(3,0,1,5500000000,6000000000,309610,'ok',1,'');
INSERT INTO "samples" VALUES(5,0,0,5000000000,5500000000,158429,'ok',1,'');
INSERT INTO "samples" VALUES(5,0,1,5500000000,6000000000,157597,'ok',1,'');
INSERT INTO "samples" VALUES(7,0,0,5000000000,5500000000,5129,'ok',1,'');
INSERT INTO "samples" VALUES(7,0,1,5500000000,6000000000,5200,'ok',1,'');
INSERT INTO "samples" VALUES(8,0,0,5000000000,5500000000,307459,'ok',1,'');
INSERT INTO "samples" VALUES(8,0,1,5500000000,6000000000,309469,'ok',1,'');
INSERT INTO "samples" VALUES(9,0,0,5000000000,5500000000,160698,'ok',1,'');
INSERT INTO "samples" VALUES(9,0,1,5500000000,6000000000,158568,'ok',1,'');
INSERT INTO "samples" VALUES(10,0,0,5000000000,5500000000,163173,'ok',1,'');
INSERT INTO "samples" VALUES(10,0,1,5500000000,6000000000,166919,'ok',1,'');
INSERT INTO "samples" VALUES(11,0,0,5000000000,5500000000,4985,'ok',1,'');
INSERT INTO "samples" VALUES(11,0,1,5500000000,6000000000,4884,'ok',1,'');
INSERT INTO "samples" VALUES(12,0,0,5000000000,5500000000,170045,'ok',1,'');
INSERT INTO "samples" VALUES(12,0,1,5500000000,6000000000,166439,'ok',1,'');
INSERT INTO "samples" VALUES(14,0,0,5000000000,5500000000,9446,'ok',1,'');
INSERT INTO "samples" VALUES(14,0,1,5500000000,6000000000,9398,'ok',1,'');
INSERT INTO "samples" VALUES(15,0,0,5000000000,5500000000,4960,'ok',0,'liar: the guest''s clock stepped by about -3 s at 0.4 s after the start of the run');
INSERT INTO "samples" VALUES(15,0,1,5500000000,6000000000,4872,'ok',0,'liar: the guest''s clock stepped by about -3 s at 0.4 s after the start of the run');
INSERT INTO "samples" VALUES(17,0,0,5000000000,5500000000,149293,'ok',1,'');
INSERT INTO "samples" VALUES(17,0,1,5500000000,6000000000,148980,'ok',1,'');
INSERT INTO "samples" VALUES(18,0,0,5000000000,5500000000,163963,'ok',1,'');
INSERT INTO "samples" VALUES(18,0,1,5500000000,6000000000,164611,'ok',1,'');
INSERT INTO "samples" VALUES(19,0,0,5000000000,5500000000,5212,'ok',1,'');
INSERT INTO "samples" VALUES(19,0,1,5500000000,6000000000,5099,'ok',1,'');
INSERT INTO "samples" VALUES(20,0,0,5000000000,5500000000,180476,'ok',1,'');
INSERT INTO "samples" VALUES(20,0,1,5500000000,6000000000,178096,'ok',1,'');
INSERT INTO "samples" VALUES(21,0,0,5000000000,5500000000,4521,'ok',0,'liar: the guest''s clock stepped by about -3 s at 0.4 s after the start of the run');
INSERT INTO "samples" VALUES(21,0,1,5500000000,6000000000,4455,'ok',0,'liar: the guest''s clock stepped by about -3 s at 0.4 s after the start of the run');
INSERT INTO "samples" VALUES(22,0,0,5000000000,5500000000,8817,'ok',1,'');
INSERT INTO "samples" VALUES(22,0,1,5500000000,6000000000,8894,'ok',1,'');
INSERT INTO "samples" VALUES(23,0,0,5000000000,5500000000,310240,'ok',1,'');
INSERT INTO "samples" VALUES(23,0,1,5500000000,6000000000,314591,'ok',1,'');
INSERT INTO "samples" VALUES(24,0,0,5000000000,5500000000,5072,'ok',1,'');
INSERT INTO "samples" VALUES(24,0,1,5500000000,6000000000,5072,'ok',1,'');
INSERT INTO "samples" VALUES(25,0,0,5000000000,5500000000,158821,'ok',1,'');
INSERT INTO "samples" VALUES(25,0,1,5500000000,6000000000,157965,'ok',1,'');
INSERT INTO "samples" VALUES(26,0,0,5000000000,5500000000,4671,'ok',1,'');
INSERT INTO "samples" VALUES(26,0,1,5500000000,6000000000,4576,'ok',1,'');
INSERT INTO "samples" VALUES(27,0,0,5000000000,5500000000,157279,'ok',1,'');
INSERT INTO "samples" VALUES(27,0,1,5500000000,6000000000,160213,'ok',1,'');
INSERT INTO "samples" VALUES(29,0,0,5000000000,5500000000,308222,'ok',0,'clock error ±0.60% exceeds the limit of 0.50%');
INSERT INTO "samples" VALUES(29,0,1,5500000000,6000000000,307114,'ok',1,'');
INSERT INTO "samples" VALUES(30,0,0,5000000000,5500000000,171606,'ok',1,'');
INSERT INTO "samples" VALUES(30,0,1,5500000000,6000000000,172891,'ok',1,'');
INSERT INTO "samples" VALUES(31,0,0,5000000000,5500000000,9832,'ok',0,'clock error ±0.60% exceeds the limit of 0.50%');
INSERT INTO "samples" VALUES(31,0,1,5500000000,6000000000,9777,'ok',1,'');
INSERT INTO "samples" VALUES(32,0,0,5000000000,5500000000,428741,'ok',1,'');
INSERT INTO "samples" VALUES(32,0,1,5500000000,6000000000,426920,'ok',1,'');
INSERT INTO "samples" VALUES(33,0,0,5000000000,5500000000,163736,'ok',1,'');
INSERT INTO "samples" VALUES(33,0,1,5500000000,6000000000,165943,'ok',1,'');
INSERT INTO "samples" VALUES(34,0,0,5000000000,5500000000,5285,'ok',1,'');
INSERT INTO "samples" VALUES(34,0,1,5500000000,6000000000,5199,'ok',1,'');
INSERT INTO "samples" VALUES(35,0,0,5000000000,5500000000,175272,'ok',1,'');
INSERT INTO "samples" VALUES(35,0,1,5500000000,6000000000,176887,'ok',1,'');
INSERT INTO "samples" VALUES(37,0,0,5000000000,5500000000,4728,'ok',1,'');
INSERT INTO "samples" VALUES(37,0,1,5500000000,6000000000,4687,'ok',1,'');
INSERT INTO "samples" VALUES(38,0,0,5000000000,5500000000,160232,'ok',1,'');
INSERT INTO "samples" VALUES(38,0,1,5500000000,6000000000,157301,'ok',1,'');
INSERT INTO "samples" VALUES(39,0,0,5000000000,5500000000,9301,'ok',1,'');
INSERT INTO "samples" VALUES(39,0,1,5500000000,6000000000,9082,'ok',1,'');
INSERT INTO "samples" VALUES(40,0,0,5000000000,5500000000,172356,'ok',1,'');
INSERT INTO "samples" VALUES(40,0,1,5500000000,6000000000,169703,'ok',1,'');
INSERT INTO "samples" VALUES(41,0,0,5000000000,5500000000,318975,'ok',1,'');
INSERT INTO "samples" VALUES(41,0,1,5500000000,6000000000,319219,'ok',1,'');
INSERT INTO "samples" VALUES(42,0,0,5000000000,5500000000,164695,'ok',1,'');
INSERT INTO "samples" VALUES(42,0,1,5500000000,6000000000,161610,'ok',1,'');
INSERT INTO "samples" VALUES(43,0,0,5000000000,5500000000,158903,'ok',1,'');
INSERT INTO "samples" VALUES(43,0,1,5500000000,6000000000,161855,'ok',1,'');
INSERT INTO "samples" VALUES(45,0,0,5000000000,5500000000,4576,'ok',1,'');
INSERT INTO "samples" VALUES(45,0,1,5500000000,6000000000,4571,'ok',1,'');
INSERT INTO "samples" VALUES(46,0,0,5000000000,5500000000,5253,'ok',1,'');
INSERT INTO "samples" VALUES(46,0,1,5500000000,6000000000,5114,'ok',1,'');
INSERT INTO "samples" VALUES(47,0,0,5000000000,5500000000,9052,'ok',1,'');
INSERT INTO "samples" VALUES(47,0,1,5500000000,6000000000,8928,'ok',1,'');
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
INSERT INTO "trials" VALUES(0,'done','','2026-01-02T03:00:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(1,'done','','2026-01-02T03:00:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(2,'done','','2026-01-02T03:00:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','["steal: 7.1% of it","stall: 5 s were lost in one stop in native"]');
INSERT INTO "trials" VALUES(3,'done','','2026-01-02T03:00:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(4,'failed','bare: the guest ended in the middle of the trial','2026-01-02T03:00:08.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(5,'done','','2026-01-02T03:00:10.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(6,'failed','not available here: this environment has no disk','2026-01-02T03:00:12.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(7,'done','','2026-01-02T03:00:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(8,'done','','2026-01-02T03:00:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(9,'done','','2026-01-02T03:00:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','["again: measured later than its block, because it had failed (it is ill)"]');
INSERT INTO "trials" VALUES(10,'done','','2026-01-02T03:00:20.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(11,'done','','2026-01-02T03:00:22.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(12,'done','','2026-01-02T03:00:24.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(13,'failed','not available here: this environment has no disk','2026-01-02T03:00:26.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(14,'done','','2026-01-02T03:00:28.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(15,'failed','liar: the guest''s clock stepped by about -3 s at 0.4 s after the start of the run','2026-01-02T03:00:30.000+00:00',1.25,0,NULL,'[]');
INSERT INTO "trials" VALUES(16,'failed','not available here: this environment has no disk','2026-01-02T03:00:32.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(17,'done','','2026-01-02T03:00:34.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(18,'done','','2026-01-02T03:00:36.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(19,'done','','2026-01-02T03:00:38.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(20,'done','','2026-01-02T03:00:40.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(21,'failed','liar: the guest''s clock stepped by about -3 s at 0.4 s after the start of the run','2026-01-02T03:00:42.000+00:00',1.25,0,NULL,'[]');
INSERT INTO "trials" VALUES(22,'done','','2026-01-02T03:00:44.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(23,'done','','2026-01-02T03:00:46.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(24,'done','','2026-01-02T03:00:48.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(25,'done','','2026-01-02T03:00:50.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(26,'done','','2026-01-02T03:00:52.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(27,'done','','2026-01-02T03:00:54.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(28,'failed','not available here: this environment has no disk','2026-01-02T03:00:56.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(29,'done','','2026-01-02T03:00:58.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(30,'done','','2026-01-02T03:01:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(31,'done','','2026-01-02T03:01:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(32,'done','','2026-01-02T03:01:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(33,'done','','2026-01-02T03:01:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(34,'done','','2026-01-02T03:01:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(35,'done','','2026-01-02T03:01:10.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(36,'failed','not available here: this environment has no disk','2026-01-02T03:01:12.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(37,'done','','2026-01-02T03:01:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(38,'done','','2026-01-02T03:01:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(39,'done','','2026-01-02T03:01:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(40,'done','','2026-01-02T03:01:20.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(41,'done','','2026-01-02T03:01:22.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(42,'done','','2026-01-02T03:01:24.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(43,'done','','2026-01-02T03:01:26.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(44,'failed','not available here: this environment has no disk','2026-01-02T03:01:28.000+00:00',0.4,0,NULL,'[]');
INSERT INTO "trials" VALUES(45,'done','','2026-01-02T03:01:30.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(46,'done','','2026-01-02T03:01:32.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
INSERT INTO "trials" VALUES(47,'done','','2026-01-02T03:01:34.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]');
COMMIT;
