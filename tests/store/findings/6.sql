PRAGMA application_id = 1447645773;
PRAGMA user_version = 6;
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
','{"virtometer":1,"name":"simulated","question":"What does each environment cost?","environments":[{"name":"native","kind":"native","settings":{},"timing":"auto"},{"name":"user-mode Linux","kind":"uml","settings":{},"timing":"auto"},{"name":"box","kind":"runc","settings":{},"timing":"auto"},{"name":"liar","kind":"qemu","settings":{},"timing":"auto"},{"name":"bare","kind":"bubblewrap","settings":{},"timing":"auto"},{"name":"KVM","kind":"kvm","settings":{},"timing":"auto"}],"baseline":"native","workloads":[{"name":"disk 4k random read","workload":"disk","op":"random-read","parameters":{},"threads":1,"seconds":null,"factors":{},"levels":{},"of":""},{"name":"context switch","workload":"os","op":"context-switch","parameters":{},"threads":1,"seconds":null,"factors":{},"levels":{},"of":""}],"scenario":"alone","blocks":6,"seconds":1.0,"fresh":"trial","unavailable":"refuse","seed":null,"margin":0.05,"disk_span":536870912,"limits":{"start_s":60.0,"prepare_s":60.0,"run_extra_s":30.0,"answer_s":10.0,"clock_error":0.005},"rules":{"max_steal_share":0.05,"max_swap_pages":0,"min_free_memory_bytes":268435456,"max_stall_share":0.1}}',5,'2026-01-02T03:04:05.678+00:00','{"cpu_model":"Simulated 3000","cpus_online":2,"kernel":"6.1"}','{"virtometer":"0.1.0","agent":"0.1.0"}');
CREATE TABLE commands (
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	argv_json TEXT NOT NULL, 
	status INTEGER, 
	PRIMARY KEY (position)
);
INSERT INTO "commands" VALUES(1,'2026-01-02T03:00:00.000+00:00','start a container','["runc","run","--bundle","/b <x>","id"]',0);
CREATE TABLE entries (
	entry INTEGER NOT NULL, 
	trial INTEGER, 
	guests INTEGER NOT NULL, 
	commands INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	PRIMARY KEY (entry), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "entries" VALUES(1,NULL,0,1,'ea3a40fd5d8aebbcd92ef46c89860fbc2abde8962c4d12e31ece053f9dc9d1ed');
INSERT INTO "entries" VALUES(2,0,1,1,'eeea423934b0c0af7b6865f7f498cc0ed3111fc101be3d2ef34cefd3e9d7419e');
INSERT INTO "entries" VALUES(3,1,2,1,'416ebf6718dc68528312d38f201707e56fb2a2077e52c08f663b7f1fadd8739c');
INSERT INTO "entries" VALUES(4,2,3,1,'90f1c95adf46d97b4997dd8a85c0ef8ed505e157c37d9b5270d7263b92fc9734');
INSERT INTO "entries" VALUES(5,3,4,1,'5ece845d131baf21b3ea1254814260d1a216b64db5ef537561afb6e76a315e94');
INSERT INTO "entries" VALUES(6,4,5,1,'dc2a7a39c74ff0ad7b482fc643c651119ca11b2ed5c3ad6bf4b95c0670365723');
INSERT INTO "entries" VALUES(7,5,6,1,'f7aeeedfb864f4d8fda1aed10a6b80117ce0e90306b79c572e34c55cf39845e0');
INSERT INTO "entries" VALUES(8,6,7,1,'bb476918442524937355739281468f54b071bc6367af07799bc931a85c13c605');
INSERT INTO "entries" VALUES(9,7,8,1,'94dd44a66e08d35626d3bbee6bc0c34be64ac02323899fafd645115dcb43e15f');
INSERT INTO "entries" VALUES(10,8,9,1,'99c6fcb73d7fc4484bfc307fa1357c83e95a54f9a32480c7b3559b62da9584f3');
INSERT INTO "entries" VALUES(11,9,10,1,'b55fa2bf2a3b87b75810919e467b3e1e011b90181efad5629149f33ec635715c');
INSERT INTO "entries" VALUES(12,10,11,1,'2324c7ed32adbab2ad87ce01869dcb15ce855d95bb61b490d0f6b28635f88681');
INSERT INTO "entries" VALUES(13,11,12,1,'7e657f687cf51e6d7dc57fb6740f789d95c005297f2878f5387ad2f360bf7b75');
INSERT INTO "entries" VALUES(14,12,13,1,'07d742dc39fc03ee8fa66ffa33deb29de7dabf01345100207e42691225158da4');
INSERT INTO "entries" VALUES(15,13,14,1,'506e5589d1afdcf0d1c54adc642bf186ff54696a99de2c846449c0020bd95028');
INSERT INTO "entries" VALUES(16,14,15,1,'8d920e9ff6f9b09438b5509bdcde009fba19e454ef8771a89f9cc2a66b4fe1f5');
INSERT INTO "entries" VALUES(17,15,16,1,'ece91ff31e01bf40d53218cdf1999b746073600b7fa129df5f7a2455654700e3');
INSERT INTO "entries" VALUES(18,16,17,1,'f7bb03c584a8a69c91c29e052ddbc5752e0ff13211be04a52259bb9d43a26400');
INSERT INTO "entries" VALUES(19,17,18,1,'12c5e0cca0fce20e96175b940d3f6f52ee764edd29c9bd94590af4154fdf1334');
INSERT INTO "entries" VALUES(20,18,19,1,'0c8852c14daf96efd889aabd85f33ffb6187c8a17dce935e7273e95b53595627');
INSERT INTO "entries" VALUES(21,19,20,1,'3f1efcfb9ad3612f468839d30da5991bd1aee6bc9011ffcc341566a47ea61402');
INSERT INTO "entries" VALUES(22,20,21,1,'7dc875fe3f486c2d50ccf20dafe683597096f8f448522f1c7bb491dd97233461');
INSERT INTO "entries" VALUES(23,21,22,1,'0ffe3e3eb2dcdc23fd49decd6bc76decb98ab67a4130689b533e7cd0e8bbcb80');
INSERT INTO "entries" VALUES(24,22,23,1,'8695c140f6fe6be92d1c6af32d9462fa631d1087228cc81c703d1cddbd617f40');
INSERT INTO "entries" VALUES(25,23,24,1,'e8f8a9c1cdcb2b78720f4868ff0e011b03a71ae26d48ae40ea83069a511bd5d1');
INSERT INTO "entries" VALUES(26,24,25,1,'25d54d989497dc5a205879e5476b1e0f04b94c5dc867f98dbafab038d5e85be7');
INSERT INTO "entries" VALUES(27,25,26,1,'4072895f1ca9fdf05f01cf8d4e97ebe70ad3a12c1e648c8a8d75578ad06d99f3');
INSERT INTO "entries" VALUES(28,26,27,1,'d31a613280582202cf6dbfbaa1b8c857d1168080b65cdda7afb348b814c48928');
INSERT INTO "entries" VALUES(29,27,28,1,'27e8b0f5d50350c9b6b798c7a748fdc2d32623317ec5c704e21c4f638308b270');
INSERT INTO "entries" VALUES(30,28,29,1,'dd40af7b1fe55ffe4a041e339c129e0692bcaf05e1501be16a019a210d1450c1');
INSERT INTO "entries" VALUES(31,29,30,1,'9870fc383d08971cc63d3eb4a85c9e0d6b78bc084a72fc044d93faca8532a683');
INSERT INTO "entries" VALUES(32,30,31,1,'5ecb44ebc15bc9dd30240e571ca38e27a279d9c26f46037c88be19bb0702f72d');
INSERT INTO "entries" VALUES(33,31,32,1,'7babf725164eb7d96a760bac79103d12f6e1542c00ac1f3a556692b820e4e3e6');
INSERT INTO "entries" VALUES(34,32,33,1,'7d31cfa4eef1f80eeec4c32a7dbe936748185e275fa29ceb465b6372b49f0c7a');
INSERT INTO "entries" VALUES(35,33,34,1,'42c82fdcd6da3c494d10225c06429572c6d7db3726e37144a3352efa53fa5bf1');
INSERT INTO "entries" VALUES(36,34,35,1,'3893011be78564b0c0e7d3219a8ef9ace27f410f36383d6e41798125776bd6e8');
INSERT INTO "entries" VALUES(37,35,36,1,'a653b408526a971d92ce65971f919afc8c67019bed2880e8364eda1089d2ef00');
INSERT INTO "entries" VALUES(38,36,37,1,'cf0abd25b12dae20834df3441dd8d6fe23d36de662b0242a49d739662fd091b3');
INSERT INTO "entries" VALUES(39,37,38,1,'bacdd084df19402ba9e60153ddb3de78b1a83302525c2556b4a00e24a5cb5bef');
INSERT INTO "entries" VALUES(40,38,39,1,'b0186231f6df4e18718c4f09fbe61332b0aacc14dd94e751b358bac3ed5d1937');
INSERT INTO "entries" VALUES(41,39,40,1,'e22d40ddcd4d84e3f0f6021286a95af60b82ca83635120828e9a654f748acf80');
INSERT INTO "entries" VALUES(42,40,41,1,'a290153aeb2c247ef11b9f5d170cbbcba26b4fe6ae1c97784dde986279f1fa5e');
INSERT INTO "entries" VALUES(43,41,42,1,'2ad963bb760eb04bde640c910f5e12433162b370db75f62982dfc7260bead754');
INSERT INTO "entries" VALUES(44,42,43,1,'976729ac7f916979e5a75de0a29236c17678c88934111dc4dcb4eafc376678d8');
INSERT INTO "entries" VALUES(45,43,44,1,'392d84b5c22d4cd2e50894b6aaea2e23d4282392612daf77f507b9400f9a1da3');
INSERT INTO "entries" VALUES(46,44,45,1,'93dbd4e5646a5939808b00378ee9af131ba444da9c2a3c6c19a7bdbb3e888f6e');
INSERT INTO "entries" VALUES(47,45,46,1,'bbf03cacc2a917fcb6f5b0177ab54fe03995406a85e1ba405b389edb641ab1b2');
INSERT INTO "entries" VALUES(48,46,47,1,'8fbd3e639a5a9354e0d08b1f0d75289f7fbe81f3f6f2e9ff20b1b4d1deec5c85');
INSERT INTO "entries" VALUES(49,47,48,1,'dbd017c6c3f7b950f1b27febde363e9f3a280abd188dbc4a0c8c26a96b877ab1');
INSERT INTO "entries" VALUES(50,48,49,1,'505acc286fce189d532542a20a9b3f1af061d0aefad1b8c7017e3c81ea9371ad');
INSERT INTO "entries" VALUES(51,49,50,1,'f839a35ceb5ce9ced0739317bb040141d75d7d7bf8d563291e575120dfb084f5');
INSERT INTO "entries" VALUES(52,50,51,1,'86df3a09493ffba71210eaca3970f9ffa624db1b68f52f30b5eacf5331aefbc8');
INSERT INTO "entries" VALUES(53,51,52,1,'73233b989305fd4ace269a5864e54bf62407e3bd4cf599f3da621f74dcc4545f');
INSERT INTO "entries" VALUES(54,52,53,1,'06e83c1533a377acd609dcdf6a85f3cd99a5f5d9a03500f73c0154c9b710dac0');
INSERT INTO "entries" VALUES(55,53,54,1,'6b381716647af3d345cd4f78e45c93391757d74157b1f7a5822366dd13dce592');
INSERT INTO "entries" VALUES(56,54,55,1,'e122b2b0e634ccce590c2d715798b9c50a0dc7dc191eeca1e090c3c0adef6b77');
INSERT INTO "entries" VALUES(57,55,56,1,'d79dbd5e972242188c5409ff5fbe1638a967458912b31e074e6ab4d34045a40b');
INSERT INTO "entries" VALUES(58,56,57,1,'a32daea1782451b99a740f13c2724bbc8399f4fb73ab179e1864c347512b6ce7');
INSERT INTO "entries" VALUES(59,57,58,1,'5dc027bf3d0cd623db013e07a9cfb5c316e70545b9878480628e14839ba4717e');
INSERT INTO "entries" VALUES(60,58,59,1,'aaef9bbf8a7d055c8457a1bfd59b72d3c3250977db2779dd4d0c2b3635e7f6ad');
INSERT INTO "entries" VALUES(61,59,60,1,'a1f47dae4cdc0f6735d933dc8403987ccd4b14dc2c0137770d46e1de318f51f6');
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
INSERT INTO "environments" VALUES(2,'box','runc',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(3,'liar','qemu',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(4,'bare','bubblewrap',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(5,'KVM','kvm',0,'there is no /dev/kvm','','{"disk":true}');
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
INSERT INTO "guests" VALUES(1,'sim-0','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:00.000+00:00');
INSERT INTO "guests" VALUES(2,'sim-1','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:02.000+00:00');
INSERT INTO "guests" VALUES(3,'sim-2','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:04.000+00:00');
INSERT INTO "guests" VALUES(4,'sim-3','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:00:06.000+00:00');
INSERT INTO "guests" VALUES(5,'sim-4','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:00:08.000+00:00');
INSERT INTO "guests" VALUES(6,'sim-5','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:10.000+00:00');
INSERT INTO "guests" VALUES(7,'sim-6','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:12.000+00:00');
INSERT INTO "guests" VALUES(8,'sim-7','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:14.000+00:00');
INSERT INTO "guests" VALUES(9,'sim-8','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:16.000+00:00');
INSERT INTO "guests" VALUES(10,'sim-9','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:18.000+00:00');
INSERT INTO "guests" VALUES(11,'sim-10','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:20.000+00:00');
INSERT INTO "guests" VALUES(12,'sim-11','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:22.000+00:00');
INSERT INTO "guests" VALUES(13,'sim-12','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:24.000+00:00');
INSERT INTO "guests" VALUES(14,'sim-13','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:26.000+00:00');
INSERT INTO "guests" VALUES(15,'sim-14','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:28.000+00:00');
INSERT INTO "guests" VALUES(16,'sim-15','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:30.000+00:00');
INSERT INTO "guests" VALUES(17,'sim-16','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:32.000+00:00');
INSERT INTO "guests" VALUES(18,'sim-17','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:00:34.000+00:00');
INSERT INTO "guests" VALUES(19,'sim-18','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:36.000+00:00');
INSERT INTO "guests" VALUES(20,'sim-19','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:00:38.000+00:00');
INSERT INTO "guests" VALUES(21,'sim-20','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:40.000+00:00');
INSERT INTO "guests" VALUES(22,'sim-21','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:42.000+00:00');
INSERT INTO "guests" VALUES(23,'sim-22','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:44.000+00:00');
INSERT INTO "guests" VALUES(24,'sim-23','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:00:46.000+00:00');
INSERT INTO "guests" VALUES(25,'sim-24','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:48.000+00:00');
INSERT INTO "guests" VALUES(26,'sim-25','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:50.000+00:00');
INSERT INTO "guests" VALUES(27,'sim-26','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:52.000+00:00');
INSERT INTO "guests" VALUES(28,'sim-27','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:54.000+00:00');
INSERT INTO "guests" VALUES(29,'sim-28','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:56.000+00:00');
INSERT INTO "guests" VALUES(30,'sim-29','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:00:58.000+00:00');
INSERT INTO "guests" VALUES(31,'sim-30','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:00.000+00:00');
INSERT INTO "guests" VALUES(32,'sim-31','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:02.000+00:00');
INSERT INTO "guests" VALUES(33,'sim-32','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:01:04.000+00:00');
INSERT INTO "guests" VALUES(34,'sim-33','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:01:06.000+00:00');
INSERT INTO "guests" VALUES(35,'sim-34','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:08.000+00:00');
INSERT INTO "guests" VALUES(36,'sim-35','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:10.000+00:00');
INSERT INTO "guests" VALUES(37,'sim-36','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:12.000+00:00');
INSERT INTO "guests" VALUES(38,'sim-37','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:14.000+00:00');
INSERT INTO "guests" VALUES(39,'sim-38','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:16.000+00:00');
INSERT INTO "guests" VALUES(40,'sim-39','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:18.000+00:00');
INSERT INTO "guests" VALUES(41,'sim-40','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:20.000+00:00');
INSERT INTO "guests" VALUES(42,'sim-41','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:22.000+00:00');
INSERT INTO "guests" VALUES(43,'sim-42','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:24.000+00:00');
INSERT INTO "guests" VALUES(44,'sim-43','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:26.000+00:00');
INSERT INTO "guests" VALUES(45,'sim-44','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:28.000+00:00');
INSERT INTO "guests" VALUES(46,'sim-45','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:30.000+00:00');
INSERT INTO "guests" VALUES(47,'sim-46','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:32.000+00:00');
INSERT INTO "guests" VALUES(48,'sim-47','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:01:34.000+00:00');
INSERT INTO "guests" VALUES(49,'sim-48','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:01:36.000+00:00');
INSERT INTO "guests" VALUES(50,'sim-49','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:38.000+00:00');
INSERT INTO "guests" VALUES(51,'sim-50','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:40.000+00:00');
INSERT INTO "guests" VALUES(52,'sim-51','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:01:42.000+00:00');
INSERT INTO "guests" VALUES(53,'sim-52','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:44.000+00:00');
INSERT INTO "guests" VALUES(54,'sim-53','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:46.000+00:00');
INSERT INTO "guests" VALUES(55,'sim-54','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:48.000+00:00');
INSERT INTO "guests" VALUES(56,'sim-55','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:50.000+00:00');
INSERT INTO "guests" VALUES(57,'sim-56','liar','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:52.000+00:00');
INSERT INTO "guests" VALUES(58,'sim-57','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:54.000+00:00');
INSERT INTO "guests" VALUES(59,'sim-58','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:56.000+00:00');
INSERT INTO "guests" VALUES(60,'sim-59','user-mode Linux','uml','{}','{"bits":"64"}',1.6,'2026-01-02T03:01:58.000+00:00');
CREATE TABLE placements (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	environment TEXT NOT NULL, 
	workload TEXT NOT NULL, 
	role TEXT NOT NULL, 
	guest INTEGER NOT NULL, 
	peer INTEGER, 
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
)
 WITHOUT ROWID

;
INSERT INTO "placements" VALUES(0,0,'liar','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(1,0,'liar','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(2,0,'native','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(3,0,'user-mode Linux','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(4,0,'user-mode Linux','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(5,0,'box','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(6,0,'native','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(7,0,'bare','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(8,0,'box','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(9,0,'bare','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(10,0,'liar','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(11,0,'bare','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(12,0,'box','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(13,0,'native','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(14,0,'native','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(15,0,'liar','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(16,0,'bare','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(17,0,'user-mode Linux','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(18,0,'box','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(19,0,'user-mode Linux','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(20,0,'box','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(21,0,'native','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(22,0,'native','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(23,0,'user-mode Linux','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(24,0,'liar','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(25,0,'bare','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(26,0,'bare','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(27,0,'box','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(28,0,'liar','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(29,0,'user-mode Linux','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(30,0,'liar','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(31,0,'liar','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(32,0,'user-mode Linux','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(33,0,'user-mode Linux','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(34,0,'box','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(35,0,'bare','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(36,0,'native','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(37,0,'box','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(38,0,'native','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(39,0,'bare','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(40,0,'bare','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(41,0,'box','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(42,0,'bare','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(43,0,'native','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(44,0,'box','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(45,0,'liar','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(46,0,'native','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(47,0,'user-mode Linux','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(48,0,'user-mode Linux','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(49,0,'liar','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(50,0,'box','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(51,0,'user-mode Linux','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(52,0,'native','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(53,0,'liar','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(54,0,'box','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(55,0,'native','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(56,0,'liar','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(57,0,'bare','context switch','measured',1,NULL);
INSERT INTO "placements" VALUES(58,0,'bare','disk 4k random read','measured',1,NULL);
INSERT INTO "placements" VALUES(59,0,'user-mode Linux','disk 4k random read','measured',1,NULL);
CREATE TABLE planned (
	trial INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_group INTEGER NOT NULL, turns INTEGER, 
	PRIMARY KEY (trial)
);
INSERT INTO "planned" VALUES(0,0,0,0,NULL);
INSERT INTO "planned" VALUES(1,0,1,1,NULL);
INSERT INTO "planned" VALUES(2,0,2,2,NULL);
INSERT INTO "planned" VALUES(3,0,3,3,NULL);
INSERT INTO "planned" VALUES(4,0,4,4,NULL);
INSERT INTO "planned" VALUES(5,0,5,5,NULL);
INSERT INTO "planned" VALUES(6,0,6,6,NULL);
INSERT INTO "planned" VALUES(7,0,7,7,NULL);
INSERT INTO "planned" VALUES(8,0,8,8,NULL);
INSERT INTO "planned" VALUES(9,0,9,9,NULL);
INSERT INTO "planned" VALUES(10,1,0,10,NULL);
INSERT INTO "planned" VALUES(11,1,1,11,NULL);
INSERT INTO "planned" VALUES(12,1,2,12,NULL);
INSERT INTO "planned" VALUES(13,1,3,13,NULL);
INSERT INTO "planned" VALUES(14,1,4,14,NULL);
INSERT INTO "planned" VALUES(15,1,5,15,NULL);
INSERT INTO "planned" VALUES(16,1,6,16,NULL);
INSERT INTO "planned" VALUES(17,1,7,17,NULL);
INSERT INTO "planned" VALUES(18,1,8,18,NULL);
INSERT INTO "planned" VALUES(19,1,9,19,NULL);
INSERT INTO "planned" VALUES(20,2,0,20,NULL);
INSERT INTO "planned" VALUES(21,2,1,21,NULL);
INSERT INTO "planned" VALUES(22,2,2,22,NULL);
INSERT INTO "planned" VALUES(23,2,3,23,NULL);
INSERT INTO "planned" VALUES(24,2,4,24,NULL);
INSERT INTO "planned" VALUES(25,2,5,25,NULL);
INSERT INTO "planned" VALUES(26,2,6,26,NULL);
INSERT INTO "planned" VALUES(27,2,7,27,NULL);
INSERT INTO "planned" VALUES(28,2,8,28,NULL);
INSERT INTO "planned" VALUES(29,2,9,29,NULL);
INSERT INTO "planned" VALUES(30,3,0,30,NULL);
INSERT INTO "planned" VALUES(31,3,1,31,NULL);
INSERT INTO "planned" VALUES(32,3,2,32,NULL);
INSERT INTO "planned" VALUES(33,3,3,33,NULL);
INSERT INTO "planned" VALUES(34,3,4,34,NULL);
INSERT INTO "planned" VALUES(35,3,5,35,NULL);
INSERT INTO "planned" VALUES(36,3,6,36,NULL);
INSERT INTO "planned" VALUES(37,3,7,37,NULL);
INSERT INTO "planned" VALUES(38,3,8,38,NULL);
INSERT INTO "planned" VALUES(39,3,9,39,NULL);
INSERT INTO "planned" VALUES(40,4,0,40,NULL);
INSERT INTO "planned" VALUES(41,4,1,41,NULL);
INSERT INTO "planned" VALUES(42,4,2,42,NULL);
INSERT INTO "planned" VALUES(43,4,3,43,NULL);
INSERT INTO "planned" VALUES(44,4,4,44,NULL);
INSERT INTO "planned" VALUES(45,4,5,45,NULL);
INSERT INTO "planned" VALUES(46,4,6,46,NULL);
INSERT INTO "planned" VALUES(47,4,7,47,NULL);
INSERT INTO "planned" VALUES(48,4,8,48,NULL);
INSERT INTO "planned" VALUES(49,4,9,49,NULL);
INSERT INTO "planned" VALUES(50,5,0,50,NULL);
INSERT INTO "planned" VALUES(51,5,1,51,NULL);
INSERT INTO "planned" VALUES(52,5,2,52,NULL);
INSERT INTO "planned" VALUES(53,5,3,53,NULL);
INSERT INTO "planned" VALUES(54,5,4,54,NULL);
INSERT INTO "planned" VALUES(55,5,5,55,NULL);
INSERT INTO "planned" VALUES(56,5,6,56,NULL);
INSERT INTO "planned" VALUES(57,5,7,57,NULL);
INSERT INTO "planned" VALUES(58,5,8,58,NULL);
INSERT INTO "planned" VALUES(59,5,9,59,NULL);
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
INSERT INTO "probes" VALUES(1,0,0,0,5,6,10,'during');
INSERT INTO "probes" VALUES(1,0,1,1000000000,1000000005,1000000006,1000000010,'during');
INSERT INTO "probes" VALUES(15,0,0,0,5,6,10,'during');
INSERT INTO "probes" VALUES(15,0,1,1000000000,1000000005,1000000006,1000000010,'during');
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
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement), 
	FOREIGN KEY(trial) REFERENCES trials (trial), 
	FOREIGN KEY(guest) REFERENCES guests (guest)
)
 WITHOUT ROWID

;
INSERT INTO "runs" VALUES(0,0,'sim-0','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.56854761042658646637e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.56854761042658646637e-06,283588,1.6448104000000001168e+00,0,1000000000,5000000000,0,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(1,0,'sim-1','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',8.28507513335819203385e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'stepped',-3.0,0.4,NULL);
INSERT INTO "runs" VALUES(2,0,'sim-2','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.9943019085491547576e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.9943019085491547576e-06,331439,9.61173100000000113496e-01,4000000000,5000000000,5000000000,4000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(3,0,'sim-3','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.60841648971172781969e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.60841648971172781969e-06,616185,2.32301745,6000000000,7000000000,5000000000,6000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(4,0,'sim-4','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',1.835992763383224883e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.835992763383224883e+04,18346,2.31551456310679615313e+00,8000000000,9000000000,5000000000,8000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(5,0,'sim-5','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.02870124848065188413e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.02870124848065188413e+04,10278,1.00784271844660211492e+00,10000000000,11000000000,5000000000,10000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(6,0,'sim-6','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.04723767136149235738e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.04723767136149235738e+04,10374,1.00718446601941757911e+00,12000000000,13000000000,5000000000,12000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(7,0,'sim-7','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.15963433941845751049e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.15963433941845751049e-06,314191,NULL,14000000000,15000000000,5000000000,14000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(8,0,'sim-8','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.90120029118202797137e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.90120029118202797137e-06,344096,1.00785718400000012806e+00,16000000000,17000000000,5000000000,16000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(10,0,'sim-10','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.54545779386365753028e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.54545779386365753028e-06,284726,1.6514108,20000000000,21000000000,5000000000,20000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(12,0,'sim-12','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.78641104273066093932e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.78641104273066093932e-06,357407,1.046845103,24000000000,25000000000,5000000000,24000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(13,0,'sim-13','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.90191795272117022052e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.90191795272117022052e-06,341283,9.897207000000001198e-01,26000000000,27000000000,5000000000,26000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(14,0,'sim-14','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.02520270269572538377e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.02520270269572538377e+04,10289,9.98932038834951407935e-01,28000000000,29000000000,5000000000,28000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(15,0,'sim-15','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',8.04757986033733050106e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'stepped',-3.0,0.4,NULL);
INSERT INTO "runs" VALUES(17,0,'sim-17','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.62952462973741217262e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.62952462973741217262e-06,623205,2.34948285000000023359e+00,34000000000,35000000000,5000000000,34000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(18,0,'sim-18','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.047554769028368537e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.047554769028368537e+04,10488,1.02843495145631069753e+00,36000000000,37000000000,5000000000,36000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(19,0,'sim-19','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',1.8514051627470376843e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.8514051627470376843e+04,18603,2.34795145631067958547e+00,38000000000,39000000000,5000000000,38000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(20,0,'sim-20','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.03212446459130715084e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.03212446459130715084e+04,10323,1.01225533980582516058e+00,40000000000,41000000000,5000000000,40000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(21,0,'sim-21','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.00359562688924306708e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.00359562688924306708e+04,9912,9.62330097087378599773e-01,42000000000,43000000000,5000000000,42000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(22,0,'sim-22','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.95663022573127789614e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.95663022573127789614e-06,335980,0.974342,44000000000,45000000000,5000000000,44000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(23,0,'sim-23','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.57491868788706083762e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.57491868788706083762e-06,632962,2.38626674,46000000000,47000000000,5000000000,46000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(24,0,'sim-24','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',8.03300580406752851546e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.03300580406752851546e+03,8010,1.55533980582524278268e+00,48000000000,49000000000,5000000000,48000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(25,0,'sim-25','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.20150973148149969979e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.20150973148149969979e-06,311648,NULL,50000000000,51000000000,5000000000,50000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(27,0,'sim-27','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.89686424678646e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.89686424678646e-06,346638,1.015302702,54000000000,55000000000,5000000000,54000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(28,0,'sim-28','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.53484038343790764259e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.53484038343790764259e-06,280035,1.624203,56000000000,57000000000,5000000000,56000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(29,0,'sim-29','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',1.84098421291185040896e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.84098421291185040896e+04,18391,2.32119417475728129218e+00,58000000000,59000000000,5000000000,58000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(30,0,'sim-30','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',8.55934858968466141977e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.55934858968466141977e+03,8513,1.65300970873786412518e+00,60000000000,61000000000,5000000000,60000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(31,0,'sim-31','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.75288500933883333314e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.75288500933883333314e-06,265677,1.54092660000000014619e+00,62000000000,63000000000,5000000000,62000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(32,0,'sim-32','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',1.8879402996917549899e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.8879402996917549899e+04,18823,2.37571844660194209097e+00,64000000000,65000000000,5000000000,64000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(33,0,'sim-33','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.59082681988954432661e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.59082681988954432661e-06,625648,2.3586929600000003937e+00,66000000000,67000000000,5000000000,66000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(34,0,'sim-34','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.9626586888032770118e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.9626586888032770118e-06,337699,0.989120371,68000000000,69000000000,5000000000,68000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(36,0,'sim-36','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.06937217434362046334e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.06937217434362046334e+04,10643,1.03330097087378636189e+00,72000000000,73000000000,5000000000,72000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(37,0,'sim-37','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.02370670398850397765e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.02370670398850397765e+04,10131,9.93428155339805774026e-01,74000000000,75000000000,5000000000,74000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(38,0,'sim-38','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.89911359719125071845e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.89911359719125071845e-06,344768,9.99827200000000138047e-01,76000000000,77000000000,5000000000,76000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(39,0,'sim-39','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.22572929780816701028e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.22572929780816701028e-06,311591,NULL,78000000000,79000000000,5000000000,78000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(41,0,'sim-41','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.90751905648285557358e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.90751905648285557358e-06,343588,1.006369252,82000000000,83000000000,5000000000,82000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(42,0,'sim-42','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.20053235509058366147e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.20053235509058366147e-06,314681,NULL,84000000000,85000000000,5000000000,84000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(43,0,'sim-43','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.99120994913147839533e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.99120994913147839533e-06,331904,9.62521600000000088215e-01,86000000000,87000000000,5000000000,86000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(44,0,'sim-44','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.07090463104678692619e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.07090463104678692619e+04,10711,1.05030194174757296465e+00,88000000000,89000000000,5000000000,88000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(45,0,'sim-45','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.72613223632263637088e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.72613223632263637088e-06,266006,1.5428348,90000000000,91000000000,5000000000,90000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(46,0,'sim-46','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.02137700709612927311e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.02137700709612927311e+04,10270,9.97087378640776678118e-01,92000000000,93000000000,5000000000,92000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(47,0,'sim-47','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.58578998780699319034e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.58578998780699319034e-06,628931,2.37106987000000035692e+00,94000000000,95000000000,5000000000,94000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(48,0,'sim-48','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',18400.0081008451,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,18400.0081008451,18336,2.31425242718446577683e+00,96000000000,97000000000,5000000000,96000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(49,0,'sim-49','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',8.41938206704916410668e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.41938206704916410668e+03,8407,1.63242718446601942083e+00,98000000000,99000000000,5000000000,98000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(50,0,'sim-50','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.01536404966187609132e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.01536404966187609132e-06,331554,0.971121666,100000000000,101000000000,5000000000,100000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(51,0,'sim-51','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.64064306441158490575e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.64064306441158490575e-06,606440,2.28627880000000027749e+00,102000000000,103000000000,5000000000,102000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(52,0,'sim-52','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.01875358698158834157e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.01875358698158834157e+04,10201,9.90388349514563115505e-01,104000000000,105000000000,5000000000,104000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(53,0,'sim-53','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.61620444476710757586e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.61620444476710757586e-06,276134,1.60157720000000014515e+00,106000000000,107000000000,5000000000,106000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(54,0,'sim-54','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',1.06889490574229348567e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.06889490574229348567e+04,10777,1.05677378640776709062e+00,108000000000,109000000000,5000000000,108000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(55,0,'sim-55','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',2.84677238812237402669e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,2.84677238812237402669e-06,354356,1.02763240000000011242e+00,110000000000,111000000000,5000000000,110000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(56,0,'sim-56','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"direct"}',8.14604312778593885047e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.14604312778593885047e+03,8168,1.58601941747572805496e+00,112000000000,113000000000,5000000000,112000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(57,0,'sim-57','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.2892249635584122065e-06,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.2892249635584122065e-06,303298,NULL,114000000000,115000000000,5000000000,114000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(59,0,'sim-59','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2","io":"buffered","io_reason":"O_DIRECT refused: EINVAL"}',1.87287206013072936913e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.87287206013072936913e+04,18930,2.38922330097087387557e+00,118000000000,119000000000,5000000000,118000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL);
CREATE TABLE samples (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_ns INTEGER NOT NULL, 
	end_ns INTEGER NOT NULL, 
	work INTEGER NOT NULL, 
	check_value TEXT NOT NULL, 
	set_aside TEXT, 
	mark TEXT NOT NULL, slice INTEGER, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "samples" VALUES(0,0,0,5000000000,5500000000,141166,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(0,0,1,5500000000,6000000000,142422,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(1,0,0,5000000000,5500000000,4092,'ok','failed-trial','the guest''s clock stepped by about -3 s at 0.4 s after the start of the run',NULL);
INSERT INTO "samples" VALUES(1,0,1,5500000000,6000000000,4103,'ok','failed-trial','the guest''s clock stepped by about -3 s at 0.4 s after the start of the run',NULL);
INSERT INTO "samples" VALUES(2,0,0,5000000000,5500000000,167323,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(2,0,1,5500000000,6000000000,164116,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(3,0,0,5000000000,5500000000,307270,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(3,0,1,5500000000,6000000000,308915,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(4,0,0,5000000000,5500000000,9115,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(4,0,1,5500000000,6000000000,9231,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(5,0,0,5000000000,5500000000,5113,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(5,0,1,5500000000,6000000000,5165,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(6,0,0,5000000000,5500000000,5151,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(6,0,1,5500000000,6000000000,5223,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(7,0,0,5000000000,5500000000,157972,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(7,0,1,5500000000,6000000000,156219,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(8,0,0,5000000000,5500000000,172277,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(8,0,1,5500000000,6000000000,171819,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(10,0,0,5000000000,5500000000,142686,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(10,0,1,5500000000,6000000000,142040,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(12,0,0,5000000000,5500000000,179931,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(12,0,1,5500000000,6000000000,177476,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(13,0,0,5000000000,5500000000,172375,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(13,0,1,5500000000,6000000000,168908,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(14,0,0,5000000000,5500000000,5113,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(14,0,1,5500000000,6000000000,5176,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(15,0,0,5000000000,5500000000,4054,'ok','failed-trial','the guest''s clock stepped by about -3 s at 0.4 s after the start of the run',NULL);
INSERT INTO "samples" VALUES(15,0,1,5500000000,6000000000,3980,'ok','failed-trial','the guest''s clock stepped by about -3 s at 0.4 s after the start of the run',NULL);
INSERT INTO "samples" VALUES(17,0,0,5000000000,5500000000,314391,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(17,0,1,5500000000,6000000000,308814,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(18,0,0,5000000000,5500000000,5282,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(18,0,1,5500000000,6000000000,5206,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(19,0,0,5000000000,5500000000,9383,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(19,0,1,5500000000,6000000000,9220,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(20,0,0,5000000000,5500000000,5116,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(20,0,1,5500000000,6000000000,5207,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(21,0,0,5000000000,5500000000,4958,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(21,0,1,5500000000,6000000000,4954,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(22,0,0,5000000000,5500000000,168503,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(22,0,1,5500000000,6000000000,167477,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(23,0,0,5000000000,5500000000,318817,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(23,0,1,5500000000,6000000000,314145,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(24,0,0,5000000000,5500000000,4041,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(24,0,1,5500000000,6000000000,3969,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(25,0,0,5000000000,5500000000,156166,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(25,0,1,5500000000,6000000000,155482,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(27,0,0,5000000000,5500000000,174927,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(27,0,1,5500000000,6000000000,171711,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(28,0,0,5000000000,5500000000,138875,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(28,0,1,5500000000,6000000000,141160,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(29,0,0,5000000000,5500000000,9229,'ok','clock-error','clock error ±0.60% exceeds the limit of 0.50%',NULL);
INSERT INTO "samples" VALUES(29,0,1,5500000000,6000000000,9162,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(30,0,0,5000000000,5500000000,4300,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(30,0,1,5500000000,6000000000,4213,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(31,0,0,5000000000,5500000000,133695,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(31,0,1,5500000000,6000000000,131982,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(32,0,0,5000000000,5500000000,9441,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(32,0,1,5500000000,6000000000,9382,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(33,0,0,5000000000,5500000000,311195,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(33,0,1,5500000000,6000000000,314453,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(34,0,0,5000000000,5500000000,168220,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(34,0,1,5500000000,6000000000,169479,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(36,0,0,5000000000,5500000000,5282,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(36,0,1,5500000000,6000000000,5361,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(37,0,0,5000000000,5500000000,5065,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(37,0,1,5500000000,6000000000,5066,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(38,0,0,5000000000,5500000000,173216,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(38,0,1,5500000000,6000000000,171552,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(39,0,0,5000000000,5500000000,156127,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(39,0,1,5500000000,6000000000,155464,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(41,0,0,5000000000,5500000000,173193,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(41,0,1,5500000000,6000000000,170395,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(42,0,0,5000000000,5500000000,157468,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(42,0,1,5500000000,6000000000,157213,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(43,0,0,5000000000,5500000000,167174,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(43,0,1,5500000000,6000000000,164730,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(44,0,0,5000000000,5500000000,5413,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(44,0,1,5500000000,6000000000,5298,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(45,0,0,5000000000,5500000000,134231,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(45,0,1,5500000000,6000000000,131775,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(46,0,0,5000000000,5500000000,5081,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(46,0,1,5500000000,6000000000,5189,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(47,0,0,5000000000,5500000000,314502,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(47,0,1,5500000000,6000000000,314429,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(48,0,0,5000000000,5500000000,9116,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(48,0,1,5500000000,6000000000,9220,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(49,0,0,5000000000,5500000000,4236,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(49,0,1,5500000000,6000000000,4171,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(50,0,0,5000000000,5500000000,167344,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(50,0,1,5500000000,6000000000,164210,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(51,0,0,5000000000,5500000000,308877,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(51,0,1,5500000000,6000000000,297563,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(52,0,0,5000000000,5500000000,5074,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(52,0,1,5500000000,6000000000,5127,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(53,0,0,5000000000,5500000000,137948,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(53,0,1,5500000000,6000000000,138186,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(54,0,0,5000000000,5500000000,5461,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(54,0,1,5500000000,6000000000,5316,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(55,0,0,5000000000,5500000000,180431,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(55,0,1,5500000000,6000000000,173925,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(56,0,0,5000000000,5500000000,4075,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(56,0,1,5500000000,6000000000,4093,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(57,0,0,5000000000,5500000000,152607,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(57,0,1,5500000000,6000000000,150691,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(59,0,0,5000000000,5500000000,9388,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(59,0,1,5500000000,6000000000,9542,'ok',NULL,'',NULL);
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
INSERT INTO "trials" VALUES(0,'done','','2026-01-02T03:00:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(1,'failed','the guest''s clock stepped by about -3 s at 0.4 s after the start of the run','2026-01-02T03:00:02.000+00:00',1.25,0,NULL,'[]','clock',0);
INSERT INTO "trials" VALUES(2,'done','','2026-01-02T03:00:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(3,'done','','2026-01-02T03:00:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(4,'done','','2026-01-02T03:00:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(5,'done','','2026-01-02T03:00:10.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(6,'done','','2026-01-02T03:00:12.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(7,'done','','2026-01-02T03:00:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(8,'done','','2026-01-02T03:00:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[["again","measured later than its block, because it had failed (it is ill)"]]',NULL,NULL);
INSERT INTO "trials" VALUES(9,'failed','this environment has no disk','2026-01-02T03:00:18.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(10,'done','','2026-01-02T03:00:20.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(11,'failed','this environment has no disk','2026-01-02T03:00:22.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(12,'done','','2026-01-02T03:00:24.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(13,'done','','2026-01-02T03:00:26.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(14,'done','','2026-01-02T03:00:28.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(15,'failed','the guest''s clock stepped by about -3 s at 0.4 s after the start of the run','2026-01-02T03:00:30.000+00:00',1.25,0,NULL,'[]','clock',0);
INSERT INTO "trials" VALUES(16,'failed','the guest ended in the middle of the trial','2026-01-02T03:00:32.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]','guest',0);
INSERT INTO "trials" VALUES(17,'done','','2026-01-02T03:00:34.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(18,'done','','2026-01-02T03:00:36.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(19,'done','','2026-01-02T03:00:38.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(20,'done','','2026-01-02T03:00:40.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(21,'done','','2026-01-02T03:00:42.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(22,'done','','2026-01-02T03:00:44.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(23,'done','','2026-01-02T03:00:46.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(24,'done','','2026-01-02T03:00:48.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(25,'done','','2026-01-02T03:00:50.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(26,'failed','this environment has no disk','2026-01-02T03:00:52.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(27,'done','','2026-01-02T03:00:54.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(28,'done','','2026-01-02T03:00:56.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(29,'done','','2026-01-02T03:00:58.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[["steal","7.1% of it"],["stall","5 s were lost in one stop"]]',NULL,NULL);
INSERT INTO "trials" VALUES(30,'done','','2026-01-02T03:01:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(31,'done','','2026-01-02T03:01:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(32,'done','','2026-01-02T03:01:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(33,'done','','2026-01-02T03:01:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(34,'done','','2026-01-02T03:01:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(35,'failed','this environment has no disk','2026-01-02T03:01:10.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(36,'done','','2026-01-02T03:01:12.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(37,'done','','2026-01-02T03:01:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(38,'done','','2026-01-02T03:01:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(39,'done','','2026-01-02T03:01:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(40,'failed','this environment has no disk','2026-01-02T03:01:20.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(41,'done','','2026-01-02T03:01:22.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(42,'done','','2026-01-02T03:01:24.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(43,'done','','2026-01-02T03:01:26.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(44,'done','','2026-01-02T03:01:28.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(45,'done','','2026-01-02T03:01:30.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(46,'done','','2026-01-02T03:01:32.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(47,'done','','2026-01-02T03:01:34.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(48,'done','','2026-01-02T03:01:36.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(49,'done','','2026-01-02T03:01:38.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(50,'done','','2026-01-02T03:01:40.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(51,'done','','2026-01-02T03:01:42.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(52,'done','','2026-01-02T03:01:44.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(53,'done','','2026-01-02T03:01:46.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(54,'done','','2026-01-02T03:01:48.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(55,'done','','2026-01-02T03:01:50.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(56,'done','','2026-01-02T03:01:52.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(57,'done','','2026-01-02T03:01:54.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(58,'failed','this environment has no disk','2026-01-02T03:01:56.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(59,'done','','2026-01-02T03:01:58.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0}','[]',NULL,NULL);
COMMIT;
